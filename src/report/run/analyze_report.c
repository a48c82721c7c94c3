/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the report of `cupel analyze`: the verdict, a plot, then the numbers; CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/document/document.h"
#include "report/html/chart.h"
#include "report/layout/labels_shown.h"
#include "report/layout/number.h"
#include "report/layout/phase.h"
#include "report/plot/plot.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

static bool has_interval(const struct analysis *a)
{
    return isfinite(a->low) && isfinite(a->high);
}

static double interval_width(const struct analysis *a)
{
    return has_interval(a) && a->mean != 0 ? (a->high - a->low) / fabs(a->mean) : INFINITY;
}

static bool has_steady_state(const struct analysis *a)
{
    return strcmp(a->phase, "no_steady_state") != 0;
}

static void print_mean(const struct analysis *a, struct document *out)
{
    struct number_scale scale = number_scale_plain(a->mean, a->low, a->high);
    char mean[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    struct text words = {0};
    if (isnan(a->mean)) {
        text_addf(&words, "there is no %s mean of these readings", a->mean_method);
    } else {
        text_addf(&words, "%s mean %s", a->mean_method,
                  number_scaled(mean, sizeof mean, &scale, a->mean));
        if (has_interval(a))
            text_addf(&words, ", %g %% interval %s to %s (%s)", 100 * a->confidence,
                      number_scaled(low, sizeof low, &scale, a->low),
                      number_scaled(high, sizeof high, &scale, a->high),
                      number_plus_minus(arm, sizeof arm, a->mean, a->low, a->high));
        else
            text_add(&words, a->stable_end - a->stable_begin < 2
                                 ? ", and an interval needs 2 readings"
                                 : ", too few readings for an interval");
    }
    char level[LEVEL_CLAIM_WORDS], level_lead[LEVEL_CLAIM_WORDS + 2];
    const char *lead = a->enough && a->asked ? "PRECISE: " : "NOT DECIDED: ";
    if (*level_claim_lead(level, sizeof level, &a->claim)) {
        snprintf(level_lead, sizeof level_lead, "%s: ", level);
        lead = level_lead;
    } else if (a->held_back) {
        lead = "FOR THESE READINGS ONLY: ";
    } else if (!a->asked) {
        lead = has_steady_state(a) ? "RESULT: " : "NO STEADY STATE: ";
    }
    enum tone tone = !a->asked ? TONE_BOLD : a->enough ? TONE_GREEN : TONE_YELLOW;
    document_paragraph_from(out, lead, tone, &words);
}

static void print_repetition(const struct analysis *a, struct document *out)
{
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    struct number_scale scale = number_scale_plain(a->mean, a->next_low, a->next_high);
    struct text words = {0};
    if (!isfinite(a->next_low) || !isfinite(a->next_high))
        return;
    text_addf(&words, "A repetition should give a mean of %s to %s (%g %% prediction).",
              number_scaled(low, sizeof low, &scale, a->next_low),
              number_scaled(high, sizeof high, &scale, a->next_high), 100 * a->confidence);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

static void analysis_add_width(const struct analysis *a, struct text *out)
{
    char width[NUMBER_BUFFER], asked[NUMBER_ASKED];
    number_asked(asked, sizeof asked, a->target_width, a->width_given);
    if (!isfinite(interval_width(a))) {
        text_addf(out, "%s was asked for", asked);
        return;
    }
    text_addf(out, "the interval is %s", number_precision(width, sizeof width, interval_width(a)));
    if (!a->enough && !a->held_back && interval_width(a) <= a->target_width)
        text_addf(out, ", %s with the allowance for stopping at a narrow one",
                  number_precision(width, sizeof width, a->decided_width));
    text_addf(out, "; %s was asked for", asked);
}

static void analysis_add_reason(const struct analysis *a, struct text *out)
{
    bool narrow = interval_width(a) <= a->target_width && a->decided_width <= a->target_width;
    char width[NUMBER_BUFFER];
    if (!a->asked) {
        if (isfinite(interval_width(a)))
            text_addf(out, "The interval is %s. ",
                      number_precision(width, sizeof width, interval_width(a)));
    } else if (a->enough || a->held_back) {
        char doubt[LEVEL_CLAIM_WORDS];
        text_add(out, "As precise as asked: ");
        analysis_add_width(a, out);
        text_add(out, ". ");
        if (a->held_back)
            text_addf(out, "A repetition may differ: %s. ",
                      level_doubt_words(doubt, sizeof doubt, &a->claim));
    } else if (!narrow || has_steady_state(a)) {
        text_add(out, narrow ? "The interval is narrow enough." : "Not as precise as asked: ");
        if (!narrow) {
            analysis_add_width(a, out);
            text_add(out, ".");
        }
        char worth[NUMBER_BUFFER];
        size_t seen = a->stable_end - a->stable_begin;
        if (a->effective_n < (double)a->minimum_n)
            text_addf(out, " It rests on too few independent readings: %s, %zu are asked for.",
                      number_count(worth, sizeof worth, floor(a->effective_n)), a->minimum_n);
        if (seen < a->min_n)
            text_addf(out, " It was seen for too short: %zu reading%s, %zu are the minimum.", seen,
                      seen == 1 ? "" : "s", a->min_n);
        char required[NUMBER_BUFFER];
        if (isfinite(a->required_n) && a->required_n > 0 && a->claim.state == LEVEL_HOLDS)
            text_addf(out, " About %s readings%s are expected to do.",
                      number_count(required, sizeof required, ceil(a->required_n)),
                      has_steady_state(a) ? " of the steady part" : "");
        text_add(out, " ");
    }
}

/* For a level that does not hold, adds why the mean is true only of these readings. */
static void analysis_add_level(const struct analysis *a, struct text *out)
{
    struct number_scale scale = number_scale_plain(a->mean, a->claim.low, a->claim.high);
    char level[LEVEL_CLAIM_WORDS], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    if (!*level_claim_words(level, sizeof level, &a->claim))
        return;
    text_addf(out, " The mean is of these readings alone: %s", level);
    if (isfinite(a->claim.low))
        text_addf(out, "; the means of their tenths are %s to %s",
                  number_scaled(low, sizeof low, &scale, a->claim.low),
                  number_scaled(high, sizeof high, &scale, a->claim.high));
    text_add(out, ".");
}

static void analysis_add_shift(const struct analysis *a, struct text *out)
{
    if (!a->shift_found)
        return;
    char change[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    double readings = (double)a->shift_readings;
    double least = fmin(fabs(a->shift_low), fabs(a->shift_high)) * readings;
    double greatest = fmax(fabs(a->shift_low), fabs(a->shift_high)) * readings;
    text_addf(out, " The level %s bit by bit, by %s over %zu readings (%s to %s)%s.",
              a->shift < 0 ? "falls" : "rises",
              number_plain(change, sizeof change, fabs(a->shift_change)), a->shift_readings,
              number_plain(low, sizeof low, least), number_plain(high, sizeof high, greatest),
              has_steady_state(a) && a->claim.state == LEVEL_HOLDS
                  ? ": the mean is of these readings alone"
                  : "");
}

static void print_named_value(const char *name, const char *value, const char *remark,
                              struct document *out)
{
    document_add(out, "  ");
    document_left(out, name, 18);
    document_right(out, value, 14);
    if (!remark[0]) {
        document_end_row(out);
        return;
    }
    document_add(out, "   ");
    document_end_row_in_words(out, TONE_PLAIN, remark);
}

static void print_quantity(const char *name, double value, const char *remark, struct document *out)
{
    char cell[NUMBER_BUFFER];
    print_named_value(name, number_plain(cell, sizeof cell, value), remark, out);
}

static void print_count(const char *name, double value, const char *remark, struct document *out)
{
    char cell[NUMBER_BUFFER];
    print_named_value(name, number_count(cell, sizeof cell, value), remark, out);
}

static void print_quantities(const struct analysis *a, struct document *out)
{
    bool steady = has_steady_state(a) && a->claim.state == LEVEL_HOLDS;
    document_heading(out, steady ? "The steady part" : "The readings the number is of");
    print_count("readings", (double)(a->stable_end - a->stable_begin), "", out);
    print_quantity("min", a->min, "", out);
    print_quantity("median", a->median, "", out);
    print_quantity("max", a->max, "", out);
    print_quantity("sd", a->sd, "of single readings", out);
    print_quantity("harmonic mean", a->harmonic_mean, "the mean of rates over equal work", out);
    print_quantity("autocorrelation", a->autocorrelation, "of neighbours; 0: independent", out);
    print_count("subsession size", (double)a->subsession_size,
                a->subsession_size == 1 ? "reading is an independent one"
                                        : "readings merged into an independent one",
                out);
    print_count("effective n", floor(a->effective_n), "independent readings worth as much", out);
    if (a->asked)
        print_count("required n", ceil(a->required_n), "readings the precision asked for takes",
                    out);
}

static void print_percentiles(const struct analysis *a, struct document *out)
{
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], heading[48];
    snprintf(heading, sizeof heading, "Percentiles, with %g %% intervals", 100 * a->confidence);
    document_heading(out, heading);
    for (size_t i = 0; i < a->percentile_count; i++) {
        const struct analysis_percentile *p = &a->percentiles[i];
        struct number_scale scale = number_scale_plain(p->value, p->low, p->high);
        struct text words = {0};
        document_add(out, "  ");
        document_left(out, p->name, 18);
        document_right(out, number_scaled(value, sizeof value, &scale, p->value), 14);
        document_add(out, "   ");
        if (isfinite(p->low))
            text_addf(&words, "%s to %s%s", number_scaled(low, sizeof low, &scale, p->low),
                      number_scaled(high, sizeof high, &scale, p->high), p->note[0] ? ", " : "");
        text_add(&words, p->note);
        document_end_row_in_words_from(out, TONE_PLAIN, &words);
    }
}

static struct plot plot_of(const struct analysis *a)
{
    return (struct plot){.values = a->values,
                         .count = a->n,
                         .stable_begin = a->stable_begin,
                         .stable_end = a->stable_end,
                         .changepoints = a->changepoints,
                         .changepoint_count = a->changepoint_count};
}

static void draw_readings(const void *what, size_t number, const struct report_style *style,
                          struct text *out)
{
    const struct plot plot = plot_of(what);
    (void)number;
    plot_series(&plot, style, out);
}

static void chart_readings(const void *what, size_t number, struct text *out)
{
    const struct plot plot = plot_of(what);
    (void)number;
    chart_series(out, &plot, "The readings in their order", "readings", 0, CHART_WHOLE, NULL, 0);
}

static void analysis_document(const void *what, struct document *out)
{
    const struct analysis *a = what;
    document_title(out, strcmp(a->source, "-") ? a->source : "standard input");
    struct phase_view view = {.phase = a->phase,
                              .search = a->search,
                              .no_level = a->claim.state != LEVEL_HOLDS,
                              .stable_begin = a->stable_begin,
                              .stable_end = a->stable_end,
                              .count = a->n,
                              .changepoints = a->changepoints,
                              .changepoint_count = a->changepoint_count};
    struct text words = {0};
    clauses_print(a->clauses, a->clause_count, a->confidence, out);
    print_mean(a, out);
    print_repetition(a, out);
    text_addf(&words, "%zu reading%s of %s", a->n, a->n == 1 ? "" : "s",
              strcmp(a->source, "-") ? a->source : "standard input");
    if (a->column[0])
        text_addf(&words, ", column %s", a->column);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    analysis_add_reason(a, &words);
    phase_sentences(&view, &words);
    analysis_add_level(a, &words);
    analysis_add_shift(a, &words);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    if (out->style.page) /* a figure shows this title itself */
        document_part(out);
    else
        document_heading(out, "The readings in their order");
    document_figure(out,
                    (struct figure){.text = draw_readings, .page = chart_readings, .context = a});
    phase_changepoints(&view, &words);
    if (words.data)
        document_paragraph(out, "  ", TONE_PLAIN, words.data);
    text_free(&words);
    print_quantities(a, out);
    print_percentiles(a, out);
    document_end_row(out);
    document_labels(out, &a->labels);
    document_line(out, "  change points by %s, interval by %s", a->changepoint_method,
                  a->interval_method);
}

/* ---- CSV and JSON ---- */

/* The change points are written after these fields and before the next ones. */
static const struct field analysis_fields[] = {
    FIELD_JSON(analysis, source),
    FIELD_JSON(analysis, column),
    FIELD_BOTH(analysis, n),
    FIELD_BOTH(analysis, mean),
    FIELD(analysis, low, "ci_low", "ci_low"),
    FIELD(analysis, high, "ci_high", "ci_high"),
    FIELD_BOTH(analysis, confidence),
    FIELD_BOTH(analysis, next_low),
    FIELD_BOTH(analysis, next_high),
    FIELD_BOTH(analysis, stable_begin),
    FIELD_BOTH(analysis, stable_end),
    FIELD_LAST,
};

static const char *analysis_level(const void *analysis)
{
    return level_name(((const struct analysis *)analysis)->claim.state);
}

static const struct field analysis_more_fields[] = {
    FIELD_BOTH(analysis, phase),
    FIELD_BOTH(analysis, autocorrelation),
    FIELD_BOTH(analysis, subsession_size),
    FIELD_BOTH(analysis, effective_n),
    FIELD_BOTH(analysis, sd),
    FIELD_BOTH(analysis, min),
    FIELD_BOTH(analysis, median),
    FIELD_BOTH(analysis, max),
    FIELD_BOTH(analysis, harmonic_mean),
    FIELD_BOTH(analysis, required_n),
    FIELD_BOTH(analysis, target_width),
    FIELD_BOTH(analysis, enough),
    FIELD_BOTH(analysis, mean_method),
    FIELD(analysis, interval_method, "method", "method"),
    FIELD_BOTH(analysis, changepoint_method),
    FIELD(analysis, search_name, "changepoint_search", "changepoint_search"),
    FIELD(analysis, shift_found, "slow_shift", "slow_shift"),
    FIELD(analysis, shift, "slow_shift_per_reading", "slow_shift_per_reading"),
    FIELD(analysis, shift_low, "slow_shift_ci_low", "slow_shift_ci_low"),
    FIELD(analysis, shift_high, "slow_shift_ci_high", "slow_shift_ci_high"),
    FIELD(analysis, shift_change, "slow_shift_change", "slow_shift_change"),
    FIELD_WORDS(analysis_level, "level", NULL),
    FIELD(analysis, claim.memory, "memory", NULL),
    FIELD_LAST,
};

/* In CSV, a percentile has a line for each of these fields, named by the percentile and this
   ending: p99_ci_low. */
static const struct field percentile_fields[] = {
    FIELD(analysis_percentile, name, NULL, "name"),
    FIELD(analysis_percentile, share, NULL, "share"),
    FIELD(analysis_percentile, value, "", "value"),
    FIELD(analysis_percentile, low, "_ci_low", "ci_low"),
    FIELD(analysis_percentile, high, "_ci_high", "ci_high"),
    FIELD(analysis_percentile, effective_n, "_effective_n", "effective_n"),
    FIELD(analysis_percentile, note, "_note", "note"),
    FIELD_LAST,
};

static const struct field analysis_clause_fields[] = {
    FIELD(result_clause, text, "", "clause"),
    FIELD_WORDS(clause_verdict_words, "_verdict", "verdict"),
    FIELD(result_clause, value, "_value", "value"),
    FIELD(result_clause, limit, "_limit", "limit"),
    FIELD(result_clause, more_readings, "_more_readings", "more_readings"),
    FIELD(result_clause, note, "_note", "note"),
    FIELD_LAST,
};

static void analysis_csv(const void *what, struct text *out)
{
    const struct analysis *a = what;
    text_add(out, "quantity,value\n");
    csv_add_pairs(out, "", analysis_fields, a);
    text_add(out, "changepoints,");
    for (size_t i = 0; i < a->changepoint_count; i++)
        text_addf(out, "%s%zu", i > 0 ? ";" : "", a->changepoints[i]);
    text_add(out, "\n");
    csv_add_pairs(out, "", analysis_more_fields, a);
    for (size_t i = 0; i < a->percentile_count; i++)
        csv_add_pairs(out, a->percentiles[i].name, percentile_fields, &a->percentiles[i]);
    for (size_t i = 0; i < a->clause_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "clause_%zu", i + 1);
        csv_add_pairs(out, name, analysis_clause_fields, &a->clauses[i]);
    }
}

static void analysis_json(const void *what, struct text *out)
{
    const struct analysis *a = what;
    struct json j = json_report(out, "analyze");
    json_labels(&j, &a->labels);
    json_fields(&j, analysis_fields, a);
    json_sizes(&j, "changepoints", a->changepoints, a->changepoint_count);
    json_fields(&j, analysis_more_fields, a);
    json_level_claim(&j, &a->claim);
    json_records(&j, "percentiles", percentile_fields, a->percentiles, a->percentile_count,
                 sizeof *a->percentiles);
    if (a->clause_count > 0)
        json_records(&j, "clauses", analysis_clause_fields, a->clauses, a->clause_count,
                     sizeof *a->clauses);
    json_end_object(&j);
}

const struct report_kind analysis_report = {analysis_document, analysis_csv, analysis_json, NULL};
