/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what a repetition of a session should give: prediction intervals for the next session of
   the same length, as a sentence for the headline and as a row for each metric. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

enum { TITLE_WIDTH = 14, OP_WIDTH = 6, VALUE_WIDTH = 13, END_WIDTH = 12 };

static const struct result_row *headline_row(const struct result *r)
{
    return result_find(r, r->headline, r->headline_op);
}

/* Prints why nothing is predicted, unless the verdict already says it. */
static void add_why_not(const struct result *r, const struct result_row *row, struct document *out)
{
    const bool has_interval = row && isfinite(row->low) && isfinite(row->high);
    const bool no_level = !strcmp(r->phase, "no_steady_state");
    const bool slower = !strcmp(r->phase, "slowdown");
    char level[LEVEL_CLAIM_WORDS];
    struct text words = {0};
    level_claim_words(level, sizeof level, &r->claim);
    if (!out->style.full || !has_interval || (!no_level && !slower && !*level) ||
        verdict_is_of_level(r->verdict) || verdict_predicts_nothing(r->verdict))
        return;
    text_addf(&words, "No repetition is predicted: %s.",
              *level     ? level
              : no_level ? "no level holds for more than half of the time"
                         : "the number is of the time before the level got worse");
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

void section_repetition(const struct result *r, struct document *out)
{
    const struct result_row *row = headline_row(r);
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    struct text words = {0};
    if (!row || !result_is_predicted(row)) {
        add_why_not(r, row, out);
        return;
    }
    struct number_scale scale =
        number_scale_of(metric_of(row->metric)->kind, row->value, row->next_low, row->next_high);
    struct number_scale bare = scale; /* the unit is written only once, after the upper end */
    if (scale.suffix[0] == ' ')
        bare.suffix = "";
    const char *op = result_op_word(r, row->op);
    text_add(&words, "A repetition");
    if (r->repeat)
        text_addf(&words, " of the %zu sessions", r->repeat->counted);
    text_addf(&words, " should give %s to %s%s%s %s (%g %% prediction",
              number_scaled(low, sizeof low, &bare, row->next_low),
              number_scaled(high, sizeof high, &scale, row->next_high), *op ? " " : "", op,
              result_title(r, row->metric), 100 * row->confidence);
    if (r->history.differing)
        text_addf(&words, ", with what %zu sessions before differed by", r->history.differing + 1);
    text_add(&words, ").");
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

static void add_row(const struct result *r, const struct result_row *row, struct document *out)
{
    char cell[NUMBER_BUFFER];
    const double interval[] = {row->value, row->next_low, row->next_high};
    document_add(out, "  ");
    if (r->rate_title[0]) {
        document_left(out, result_title(r, row->metric), TITLE_WIDTH + OP_WIDTH);
    } else {
        document_left(out, metric_of(row->metric)->title, TITLE_WIDTH);
        document_left(out, row->op, OP_WIDTH);
    }
    document_interval(out, metric_of(row->metric)->kind, interval, VALUE_WIDTH, END_WIDTH);
    document_right(out, number_arm(cell, sizeof cell, row->value, row->next_low, row->next_high),
                   END_WIDTH);
    document_end_row(out);
}

void section_predictions(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {{"", -(2 + TITLE_WIDTH)}, {"op", -OP_WIDTH},
                                                  {"value", VALUE_WIDTH},   {"low", END_WIDTH},
                                                  {"high", END_WIDTH},      {"+-", END_WIDTH}};
    char heading[80];
    bool begun = false;
    for (size_t i = 0; i < r->row_count; i++) {
        if (!result_is_predicted(&r->rows[i]))
            continue;
        if (!begun) {
            snprintf(heading, sizeof heading,
                     "A repetition should give, with %g %% prediction intervals",
                     100 * r->rows[i].confidence);
            document_heading(out, heading);
            document_titles(out, titles, sizeof titles / sizeof *titles);
        }
        begun = true;
        add_row(r, &r->rows[i], out);
    }
    if (begun)
        document_paragraph(out, "  ", TONE_PLAIN,
                           "low and high: a repetition of the same length has its value between "
                           "them in that share of the cases, as long as nothing else changes.");
}
