/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints rankings of levels, and the drift between campaigns. */
#include <math.h>
#include <stdio.h>

#include "report/document/document.h"
#include "report/layout/fields.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { LEVEL_WIDTH = 24, VALUE_WIDTH = 12, INTERVAL_WIDTH = 26 };

static void add_range(struct document *out, double value, double low, double high)
{
    char number[NUMBER_BUFFER], from[NUMBER_BUFFER], to[NUMBER_BUFFER], range[110];
    struct number_scale scale = number_scale_plain(value, low, high);
    number_scaled(from, sizeof from, &scale, low);
    number_scaled(to, sizeof to, &scale, high);
    snprintf(range, sizeof range, "%s to %s", from, to);
    document_right(out, number_scaled(number, sizeof number, &scale, value), VALUE_WIDTH);
    document_right(out, isfinite(high) ? range : "unknown", INTERVAL_WIDTH);
}

static void add_level(struct document *out, const char *level)
{
    char shown[4 * LEVEL_WIDTH + 8];
    document_add(out, "  ");
    document_left(out, layout_shorten(shown, sizeof shown, level, LEVEL_WIDTH - 2), LEVEL_WIDTH);
}

static void add_titles(struct document *out, const char *level, const char *value)
{
    const struct layout_column titles[] = {{"", -2},
                                           {level, -LEVEL_WIDTH},
                                           {value, VALUE_WIDTH},
                                           {"interval", INTERVAL_WIDTH},
                                           {"configurations", 16}};
    document_end_row(out);
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

static void add_count(struct document *out, size_t count)
{
    char number[NUMBER_BUFFER];
    snprintf(number, sizeof number, "%zu", count);
    document_right(out, number, 9);
    document_end_row(out);
}

/* Returns true if the intervals of two levels overlap. */
static bool is_like(const struct map_rank *a, const struct map_rank *b)
{
    return !(a->high < b->low || b->high < a->low);
}

/* Adds the first or last level of the ranking, and the levels that may take its place because their
   intervals overlap. */
static void add_end(struct text *out, const struct map_ranking *r, const struct map_rank *end)
{
    const struct map_rank *other = NULL;
    size_t like = 0;
    for (size_t i = 0; i < r->count; i++)
        if (&r->ranks[i] != end && is_like(&r->ranks[i], end)) {
            other = &r->ranks[i];
            like++;
        }
    text_add(out, end->level);
    if (like == 1)
        text_addf(out, " (or %s: their intervals overlap)", other->level);
    else if (like)
        text_addf(out, " (or one of %zu others: their intervals overlap)", like);
}

/* Adds the first and the last level of the ranking, or, if their intervals overlap, says so.
   Returns true if there is a ranking. */
static bool add_ranking(struct text *out, const struct map_ranking *r)
{
    const struct map_rank *least = &r->ranks[0], *most = &r->ranks[r->count - 1];
    if (r->count < 2) {
        text_addf(out, "%s was measured at one level of %s", r->response, r->factor);
        return false;
    }
    double ratio = most->value / least->value;
    if (is_like(least, most)) {
        text_addf(out,
                  "the levels of %s cannot be told apart by %s: even the intervals of %s, the "
                  "least, and %s, the most, overlap",
                  r->factor, r->response, least->level, most->level);
        return false;
    }
    text_addf(out, "%s is least at %s = ", r->response, r->factor);
    add_end(out, r, least);
    text_add(out, " and most at ");
    add_end(out, r, most);
    if (least->value > 0)
        text_addf(out, ": %.3g times as much", ratio);
    return true;
}

static void ranking_document(const void *what, struct document *out)
{
    const struct map_ranking *r = what;
    predict_title(out, r->response);
    struct text words = {0};
    bool ranked = add_ranking(&words, r);
    document_paragraph_from(
        out, ranked ? "RANKED: " : "NOT RANKED: ", ranked ? TONE_GREEN : TONE_YELLOW, &words);
    print_notes(r->notes, out);
    add_titles(out, "level", r->logarithmic ? "geom. mean" : "mean");
    for (size_t i = 0; i < r->count; i++) {
        add_level(out, r->ranks[i].level);
        add_range(out, r->ranks[i].value, r->ranks[i].low, r->ranks[i].high);
        add_count(out, r->ranks[i].count);
    }
    document_paragraph(
        out, "", TONE_PLAIN,
        r->blocked ? "Each of these configurations was measured at every level: intervals are "
                     "of differences within configurations."
                   : "Not every configuration was measured at every level: the levels' "
                     "configurations differ, and the intervals hold all of their spread.");
}

static void drift_document(const void *what, struct document *out)
{
    const struct map_drift *d = what;
    predict_title(out, d->response);
    const struct campaign *worst = NULL;
    struct text words = {0};
    char share[NUMBER_BUFFER];
    for (size_t i = 0; i < d->count; i++)
        if (d->campaigns[i].common &&
            (!worst || fabs(log(d->campaigns[i].ratio)) > fabs(log(worst->ratio))))
            worst = &d->campaigns[i];
    bool found = worst && (worst->low > 1 || worst->high < 1);
    if (!worst)
        text_addf(&words, "no two values of %s have a configuration in common", d->column);
    else
        text_addf(&words, "%s of %s = %s is %s %s that of %s over %zu common configurations%s",
                  d->response, d->column, worst->name,
                  number_percent(share, sizeof share, fabs(worst->ratio - 1)),
                  worst->ratio > 1 ? "above" : "below", d->first, worst->common,
                  found ? "" : ", which chance explains");
    document_paragraph_from(
        out, found ? "DRIFT: " : "NO DRIFT SHOWN: ", found ? TONE_YELLOW : TONE_GREEN, &words);
    print_notes(d->notes, out);
    add_titles(out, d->column, "ratio");
    for (size_t i = 0; i < d->count; i++) {
        add_level(out, d->campaigns[i].name);
        add_range(out, d->campaigns[i].ratio, d->campaigns[i].low, d->campaigns[i].high);
        add_count(out, d->campaigns[i].common);
    }
}

static const struct field rank_fields[] = {
    FIELD_BOTH(map_rank, level),
    FIELD_BOTH(map_rank, value),
    FIELD(map_rank, low, "ci_low", "ci_low"),
    FIELD(map_rank, high, "ci_high", "ci_high"),
    FIELD(map_rank, count, "configurations", "configurations"),
    FIELD_LAST,
};

static const struct field campaign_fields[] = {
    FIELD(campaign, name, "campaign", "campaign"),
    FIELD_BOTH(campaign, ratio),
    FIELD(campaign, low, "ci_low", "ci_low"),
    FIELD(campaign, high, "ci_high", "ci_high"),
    FIELD(campaign, common, "configurations", "configurations"),
    FIELD_LAST,
};

static void ranking_csv(const void *what, struct text *out)
{
    const struct map_ranking *r = what;
    csv_add_lines(out, NULL, rank_fields, r->ranks, r->count, sizeof *r->ranks);
}

static void ranking_json(const void *what, struct text *out)
{
    const struct map_ranking *r = what;
    struct json j = json_report(out, "predict_ranking");
    json_string(&j, "response", r->response);
    json_string(&j, "factor", r->factor);
    json_number(&j, "confidence", r->confidence);
    json_bool(&j, "geometric", r->logarithmic);
    json_bool(&j, "blocked", r->blocked);
    json_records(&j, "levels", rank_fields, r->ranks, r->count, sizeof *r->ranks);
    json_notes(&j, r->notes);
    json_end_object(&j);
}

static void drift_csv(const void *what, struct text *out)
{
    const struct map_drift *d = what;
    csv_add_lines(out, NULL, campaign_fields, d->campaigns, d->count, sizeof *d->campaigns);
}

static void drift_json(const void *what, struct text *out)
{
    const struct map_drift *d = what;
    struct json j = json_report(out, "predict_drift");
    json_string(&j, "response", d->response);
    json_string(&j, "column", d->column);
    json_string(&j, "first", d->first);
    json_number(&j, "confidence", d->confidence);
    json_records(&j, "campaigns", campaign_fields, d->campaigns, d->count, sizeof *d->campaigns);
    json_notes(&j, d->notes);
    json_end_object(&j);
}

const struct report_kind ranking_report = {ranking_document, ranking_csv, ranking_json, NULL};
const struct report_kind drift_report = {drift_document, drift_csv, drift_json, NULL};
