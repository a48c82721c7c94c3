/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a result over several sessions: what its interval means, how the sessions differ, and each
   of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

enum {
    NUMBER_WIDTH = 4,
    DATE_WIDTH = 19, /* width of a date without " UTC" at its end */
    VALUE_WIDTH = 12,
    END_WIDTH = 10,
    VERDICT_WIDTH = 12,
    OTHERS_WIDTH = 7
};

/* ---- words ---- */

void repeat_add_promise(const struct result *r, struct text *out)
{
    char spread[NUMBER_BUFFER];
    const struct result_repeat *repeat = r->repeat;
    if (!repeat || repeat->counted < 2)
        return;
    text_addf(out, ", of the mean over sessions like these %zu, spread over %s", repeat->counted,
              number_seconds(spread, sizeof spread, repeat->spread_seconds));
}

/* Adds why the result is not decided. The caller adds the interval's width. */
void repeat_add_lack(const struct result *r, struct text *out)
{
    const struct result_repeat *repeat = r->repeat;
    if (repeat->session_count < repeat->asked)
        text_addf(out, "The limit came after %zu of %zu sessions (--limit)", repeat->session_count,
                  repeat->asked);
    else if (repeat->invalid > 0)
        text_addf(out, "Another part than the %s limited %zu of %zu sessions (--strict-bottleneck)",
                  result_target_word(r), repeat->invalid, repeat->asked);
    else if (repeat->decided < repeat->asked)
        text_addf(out, "%zu of %zu sessions did not reach a verdict of their own (--limit, --ci)",
                  repeat->asked - repeat->decided, repeat->asked);
    else
        text_add(out, "The interval over the sessions is too wide");
}

/* Prints the spread between sessions, and the spread within a session according to its own
   interval. */
void section_differences(const struct result *r, struct document *out)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    struct text words = {0};
    if (!r->repeat || !row || isnan(r->repeat->sd) || !(row->value > 0))
        return;
    const struct result_repeat *repeat = r->repeat;
    char sd[NUMBER_BUFFER], between[NUMBER_BUFFER], within[NUMBER_BUFFER], share[NUMBER_BUFFER];
    text_addf(&words, "Session means have a standard deviation of %s of their mean",
              number_percent(sd, sizeof sd, repeat->sd / row->value));
    if (!isnan(repeat->within)) {
        text_addf(&words,
                  ": %s between sessions, %s within a session as its own interval states it",
                  number_percent(between, sizeof between, repeat->between / row->value),
                  number_percent(within, sizeof within, repeat->within / row->value));
        if (!isnan(repeat->intraclass))
            text_addf(&words, "; %s of the variance lies between sessions (intraclass correlation)",
                      number_share(share, sizeof share, repeat->intraclass));
        text_addf(&words, ". %zu of %zu sessions' own intervals hold the mean of all",
                  repeat->holding, repeat->counted);
    }
    text_add(&words,
             ". The interval over all is Student's t on the session means: it speaks of "
             "sessions like these on this machine, in the states that it was in meanwhile.");
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* ---- one line for each session ---- */

static void print_session_value(const struct result *r, const struct result_session *s,
                                struct document *out)
{
    const struct result_row *row = result_session_find(s, r->headline, r->headline_op);
    if (!row || isnan(row->value)) {
        document_right(out, "-", VALUE_WIDTH);
        document_right(out, "", END_WIDTH);
        document_right(out, "", END_WIDTH);
        return;
    }
    document_interval(out, metric_of(row->metric)->kind,
                      (const double[]){row->value, row->low, row->high}, VALUE_WIDTH, END_WIDTH);
}

void section_sessions(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {
        {"", NUMBER_WIDTH + 2},      {"began (UTC)", -DATE_WIDTH}, {"value", VALUE_WIDTH},
        {"low", END_WIDTH},          {"high", END_WIDTH},          {"", 2},
        {"verdict", -VERDICT_WIDTH}, {"others", OTHERS_WIDTH}};
    const struct result_repeat *repeat = r->repeat;
    if (!repeat)
        return;
    char heading[80];
    snprintf(heading, sizeof heading, "Sessions: %s%s%s of each, with its own interval",
             result_op_word(r, r->headline_op), *result_op_word(r, r->headline_op) ? " " : "",
             result_title(r, r->headline));
    document_heading(out, heading);
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < repeat->session_count; i++) {
        const struct result_session *s = &repeat->sessions[i];
        char cell[NUMBER_BUFFER], date[sizeof s->date];
        snprintf(cell, sizeof cell, "%zu", s->number);
        document_right(out, cell, NUMBER_WIDTH);
        document_add(out, "  ");
        snprintf(date, sizeof date, "%.*s", DATE_WIDTH, s->date);
        document_left(out, date, DATE_WIDTH);
        print_session_value(r, s, out);
        document_add(out, "  ");
        document_left(out, verdict_name(s->verdict), VERDICT_WIDTH);
        double others = fmax(fmax(s->others.processors, s->others.stolen), s->others.device);
        document_right(out, number_percent(cell, sizeof cell, others), OTHERS_WIDTH);
        document_end_row(out);
    }
    document_paragraph(
        out, "  ", TONE_PLAIN,
        "others: what other programs had of the processors or of the disk's bytes, or "
        "other virtual machines of the processors, whichever is most. Interrupted and "
        "failed sessions count in no mean.");
}
