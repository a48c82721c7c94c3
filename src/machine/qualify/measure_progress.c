/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes on the progress of a qualification during a test: the time left in all, then the session's
   own progress. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "machine/qualify/measure_disk.h"
#include "machine/qualify/time_left.h"

/* ---- the time left over all disks ---- */

void time_left_begin_test(struct time_left *t, size_t kind)
{
    t->kinds[kind].begun++;
}

void time_left_end_test(struct time_left *t, size_t kind, double seconds)
{
    t->kinds[kind].ended++;
    t->kinds[kind].seconds += seconds;
}

/* Returns the time left of the current test; without a useful estimate, the time up to its
   limit. */
static double left_of_test(const struct session_progress *now, bool *at_most)
{
    double until_limit = fmax(0, now->limit_seconds - now->elapsed_seconds);
    if (isfinite(now->left_seconds) && !now->left_is_least)
        return fmin(fmax(0, now->left_seconds), until_limit);
    *at_most = true;
    return until_limit;
}

char *time_left_words(const struct time_left *t, const struct session_progress *now, char *to,
                      size_t size)
{
    char left[32];
    bool at_most = false;
    double seconds = left_of_test(now, &at_most);
    for (size_t i = 0; i < QUALIFICATION_TESTS; i++) {
        const struct time_left_kind *kind = &t->kinds[i];
        double to_come = (double)(kind->planned - kind->begun);
        bool known = kind->ended > 0;
        at_most |= to_come > 0 && !known;
        seconds += to_come * (known ? kind->seconds / (double)kind->ended : t->limit_seconds);
    }
    format_time_left(left, sizeof left, seconds);
    /* 0 or less if the work around a test takes longer than the test's limit */
    if (seconds > 0)
        snprintf(to, size, "disk %zu of %zu, %s %s left in all", t->disk, t->disks,
                 at_most ? "up to about" : "about", left);
    else
        snprintf(to, size, "disk %zu of %zu, nearly done", t->disk, t->disks);
    return to;
}

/* ---- progress ---- */

static void pass_progress(void *context, const struct session_progress *now)
{
    const struct measuring *m = context;
    const struct qualify_request *request = m->request;
    if (request->overall) {
        char words[80];
        request->overall(request->context, time_left_words(&m->time, now, words, sizeof words));
    }
    if (request->observer.progress)
        request->observer.progress(request->observer.context, now);
}

static void pass_notice(void *context, const char *words)
{
    const struct measuring *m = context;
    const struct session_observer *observer = &m->request->observer;
    if (observer->notice)
        observer->notice(observer->context, words);
}

struct session_observer measure_observer(struct measuring *m)
{
    return (struct session_observer){
        .progress = pass_progress, .context = m, .notice = pass_notice};
}
