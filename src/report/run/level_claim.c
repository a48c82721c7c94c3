/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what may be claimed of the headline's level in addition to the mean of the measured time:
   in the first line, as a reason, as advice, and in JSON. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "facts/result.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* A session that ended before this share of its limit ended early. */
#define EARLY_SHARE 0.8

/* Adds how much time the requested width would take: "; +-5 % would take about 9 h". If the
   interval already looks narrow enough, first adds what is still missing. */
void level_add_price(const struct result *r, struct text *out)
{
    char asked[NUMBER_BUFFER], span[LEVEL_CLAIM_WORDS], lack[RESULT_LACK_WORDS];
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    if (isnan(r->claim.needed_readings))
        return;
    if (row && (row->high - row->low) / fabs(row->value) <= r->target_width &&
        *result_lack_words(r, lack, sizeof lack))
        text_addf(out, "; %s", lack);
    text_add(out, "; ");
    if (r->target_width > 0)
        text_add(out, number_precision(asked, sizeof asked, r->target_width));
    else
        text_add(out, "the widths asked for");
    text_addf(out, " would take %s",
              level_claim_span(span, sizeof span, &r->claim, r->claim.needed_readings));
}

/* Adds the mean of the headline, and the range of the means of its tenths, for a headline whose
   level does not hold. There is no interval, because it would be the interval of a level. */
void level_add_stretch(const struct result *r, const struct result_row *row, struct text *out)
{
    const struct level_claim *c = &r->claim;
    const struct metric *metric = metric_of(row->metric);
    struct number_scale scale = number_scale_of(metric->kind, row->value, c->low, c->high);
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], words[LEVEL_CLAIM_WORDS];
    const char *op = result_op_word(r, row->op);
    text_addf(out, "%s%s%s %s on average", number_scaled(value, sizeof value, &scale, row->value),
              *op ? " " : "", op, result_title(r, row->metric));
    if (isfinite(c->low) && isfinite(c->high))
        text_addf(out, ", the means of its tenths are %s to %s",
                  number_scaled(low, sizeof low, &scale, c->low),
                  number_scaled(high, sizeof high, &scale, c->high));
    if (r->verdict == VERDICT_CYCLES)
        text_addf(out, "; %s", level_claim_words(words, sizeof words, c));
}

/* Returns true if the session ended so long before its limit that measuring on until the limit
   would have given a narrower interval. */
static bool is_limit_ahead(const struct result *r)
{
    const struct level_claim *c = &r->claim;
    const double measured = (double)(c->readings_before + c->readings) * c->reading_seconds;
    return r->limit_seconds > 0 && isfinite(c->limit_width) &&
           measured < EARLY_SHARE * r->limit_seconds;
}

/* Adds what long memory means: "four times the time narrows the interval by 24 %". With n readings
   and the memory parameter d, the width decreases as n^(d - 1/2). */
static void add_memory(const struct result *r, struct text *out)
{
    char reached[NUMBER_BUFFER], limit[UNITS_BUFFER];
    text_addf(out,
              "Readings far apart in time still resemble each other (long memory, d = %.2f): four "
              "times the time narrows the interval by %.0f %%. ",
              r->claim.memory, 100 * (1 - pow(4, r->claim.memory - 0.5)));
    if (is_limit_ahead(r))
        text_addf(out, "The limit of %s would have given about %s. ",
                  format_time(limit, sizeof limit, r->limit_seconds * 1e9),
                  number_precision(reached, sizeof reached, r->claim.limit_width));
    text_addf(out,
              "The number is the mean of this stretch of time; no more than its interval may be "
              "claimed of the %s.",
              result_target_word(r));
}

/* Returns true if there is a prediction. Even a level that wanders can be predicted for as long as
   it was measured. */
static bool is_predicted(const struct result *r)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    return row && result_is_predicted(row);
}

/* Adds what a mean says if the level does not hold. */
static void add_level(const struct result *r, struct text *out)
{
    char words[LEVEL_CLAIM_WORDS];
    level_claim_words(words, sizeof words, &r->claim);
    if (*words)
        words[0] = (char)toupper((unsigned char)words[0]);
    if (is_predicted(r)) {
        text_addf(out,
                  "%s. The number is the mean of this stretch of time; of the %s at other times no "
                  "more may be claimed than the prediction, and measuring longer would hardly "
                  "narrow it.",
                  words, result_target_word(r));
        return;
    }
    text_addf(out,
              "%s. The number is the mean of this stretch of time and no more: it says nothing "
              "about the %s at other times",
              words, result_target_word(r));
    if (r->verdict == VERDICT_NO_LEVEL)
        text_add(out, ", and measuring longer would not change that.");
    else if (r->verdict == VERDICT_CYCLES)
        text_add(out, isnan(r->claim.cycle_readings)
                          ? "; a longer --limit may show a level."
                          : "; a longer --limit would hold more cycles.");
    else
        text_add(out, "; a longer --limit would show where it ends.");
}

/* Adds that the level may not hold, although the interval is narrow enough. */
static void add_doubt(const struct result *r, struct text *out)
{
    char words[LEVEL_CLAIM_WORDS];
    text_addf(
        out,
        "The number is the mean of this stretch of time; a repetition may differ by more: %s. "
        "A longer --limit shows whether it does, sessions over time (--repeat 5 --every 10m) "
        "by how much they differ.",
        level_doubt_words(words, sizeof words, &r->claim));
}

void level_add_reason(const struct result *r, struct text *out)
{
    if (r->verdict == VERDICT_BEST_POSSIBLE)
        add_memory(r, out);
    else if (r->verdict == VERDICT_UNSETTLED)
        add_doubt(r, out);
    else
        add_level(r, out);
}

/* Adds advice for the first screen, which separates the mean of the measured time from what may be
   claimed of the target. */
void level_add_advice(const struct result *r, struct text *out)
{
    char limit[UNITS_BUFFER], width[NUMBER_BUFFER];
    const char *target = result_target_word(r);
    if (r->verdict == VERDICT_NO_LEVEL && is_predicted(r)) {
        text_addf(out,
                  "This is the mean of these readings alone; of the %s no more may be claimed than "
                  "the prediction, and more time would hardly narrow it. Find out what changes "
                  "(the plot, --full).",
                  target);
        return;
    }
    if (r->verdict == VERDICT_NO_LEVEL) {
        text_addf(out,
                  "This is the mean of these readings alone; nothing of the %s may be claimed from "
                  "it, and more time would not help. Find out what changes (the plot, --full).",
                  target);
        return;
    }
    if (r->verdict == VERDICT_MOVES) {
        text_addf(
            out,
            "This is the mean of these readings alone: the %s has not settled. Measure longer "
            "(--limit), or find out what moves it (the plot, --full).",
            target);
        return;
    }
    if (r->verdict == VERDICT_CYCLES && isnan(r->claim.cycle_readings)) {
        text_addf(out,
                  "This is the mean of these readings alone: the %s moves more slowly than was "
                  "measured. Measure longer (--limit), or find out what moves it (the plot, "
                  "--full).",
                  target);
        return;
    }
    if (r->verdict == VERDICT_CYCLES) {
        text_addf(out,
                  "This is the mean of these readings alone: a longer --limit has to hold more "
                  "cycles of the %s.",
                  target);
        return;
    }
    text_addf(out, "Its speed wanders slowly, so more time adds little");
    if (is_limit_ahead(r))
        text_addf(out, ": the limit of %s would give about %s",
                  format_time(limit, sizeof limit, r->limit_seconds * 1e9),
                  number_precision(width, sizeof width, r->claim.limit_width));
    text_add(out, ". ");
}

void json_level_claim(struct json *j, const struct level_claim *c)
{
    char words[LEVEL_CLAIM_WORDS];
    const double seconds = c->reading_seconds;
    json_begin_object(j, "level");
    json_string(j, "state", level_name(c->state));
    json_string(j, "words", level_claim_words(words, sizeof words, c));
    json_number(j, "memory", c->memory);
    json_number(j, "tenths_low", c->low);
    json_number(j, "tenths_high", c->high);
    json_number(j, "change", c->change);
    json_number(j, "change_seconds", (double)c->change_readings * seconds);
    json_number(j, "cycle_seconds", c->cycle_readings * seconds);
    json_number(j, "needed_seconds", c->needed_readings * seconds);
    json_number(j, "limit_width", c->limit_width);
    json_end_object(j);
}
