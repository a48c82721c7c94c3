/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Full tables of a result: the last entry says how many were left out. */
#include "tests/unit/check.h"

#include <stdio.h>
#include <string.h>

#include "facts/comparison.h"
#include "facts/result.h"
#include "run/watch/gauge_samples.h"

static void test_notes(void)
{
    static struct result r;
    for (int i = 0; i < RESULT_NOTES_MAX; i++)
        result_note(&r, false, "note %d", i);
    CHECK_STR(r.notes[RESULT_NOTES_MAX - 1].text, "note 23");
    result_note(&r, false, "one more");
    CHECK_INT(r.note_count, RESULT_NOTES_MAX);
    CHECK_STR(r.notes[RESULT_NOTES_MAX - 1].text, "2 more notes: there is no room for them");
    CHECK(r.notes[RESULT_NOTES_MAX - 1].warning);
    result_note(&r, false, "another");
    CHECK_STR(r.notes[RESULT_NOTES_MAX - 1].text, "3 more notes: there is no room for them");
    CHECK_STR(r.notes[RESULT_NOTES_MAX - 2].text, "note 22");
}

static void test_rows(void)
{
    static struct result r;
    for (int i = 0; i < RESULT_ROWS_MAX; i++)
        result_add(&r, METRIC_IOPS, "read", i);
    CHECK_INT(r.note_count, 0);
    result_add(&r, METRIC_BPS, "all", 1);
    CHECK_INT(r.row_count, RESULT_ROWS_MAX);
    CHECK_INT(r.note_count, 1);
    CHECK_STR(r.notes[0].text, "there is no room for the row of bps all");
}

static void test_comparison(void)
{
    static struct comparison c;
    for (int i = 0; i < RESULT_NOTES_MAX + 5; i++)
        comparison_note(&c, true, "note %d", i);
    CHECK_INT(c.note_count, RESULT_NOTES_MAX);
    CHECK_STR(c.notes[RESULT_NOTES_MAX - 1].text, "6 more notes: there is no room for them");
}

static void test_events(void)
{
    static struct watch w;
    for (int i = 0; i < RESULT_EVENTS_MAX + 2; i++)
        watch_event(&w, i, "an event");
    CHECK_INT(w.event_count, RESULT_EVENTS_MAX);
    CHECK_STR(w.events[RESULT_EVENTS_MAX - 1].text, "3 more events: there is no room for them");
}

int main(void)
{
    test_notes();
    test_rows();
    test_comparison();
    test_events();
    return check_result();
}
