/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text report of `cupel analyze`: the verdict, a plot, then the numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/labels_shown.h"
#include "report/layout/layout.h"
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

static void print_mean(const struct analysis *a, const struct report_style *style, struct text *out)
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
            text_add(&words, ", too few readings for an interval");
    }
    const char *lead = !a->asked ? "RESULT: " : a->enough ? "PRECISE: " : "NOT DECIDED: ";
    enum tone tone = !a->asked ? TONE_BOLD : a->enough ? TONE_GREEN : TONE_YELLOW;
    layout_paragraph(out, style, lead, tone, layout_string(&words));
    text_free(&words);
}

static void analysis_add_width(const struct analysis *a, struct text *out)
{
    char width[NUMBER_BUFFER], asked[NUMBER_BUFFER];
    number_precision(asked, sizeof asked, a->target_width);
    if (!isfinite(interval_width(a))) {
        text_addf(out, "%s was asked for", asked);
        return;
    }
    text_addf(out, "the interval is %s", number_precision(width, sizeof width, interval_width(a)));
    if (!a->enough && interval_width(a) <= a->target_width)
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
    } else if (a->enough) {
        text_add(out, "As precise as asked: ");
        analysis_add_width(a, out);
        text_add(out, ". ");
    } else if (!narrow || strcmp(a->phase, "no_steady_state") != 0) {
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
        if (isfinite(a->required_n) && a->required_n > 0)
            text_addf(out, " About %s readings%s are expected to do.",
                      number_count(required, sizeof required, ceil(a->required_n)),
                      strcmp(a->phase, "no_steady_state") ? " of the steady part" : "");
        text_add(out, " ");
    }
}

static void analysis_add_shift(const struct analysis *a, struct text *out)
{
    if (!a->shift_found)
        return;
    char change[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    double readings = (double)a->shift_readings;
    double least = fmin(fabs(a->shift_low), fabs(a->shift_high)) * readings;
    double greatest = fmax(fabs(a->shift_low), fabs(a->shift_high)) * readings;
    text_addf(out,
              " The level %s bit by bit, by %s over %zu readings (%s to %s): the mean is of "
              "these readings alone.",
              a->shift < 0 ? "falls" : "rises",
              number_plain(change, sizeof change, fabs(a->shift_change)), a->shift_readings,
              number_plain(low, sizeof low, least), number_plain(high, sizeof high, greatest));
}

static void print_named_value(const char *name, const char *value, const char *remark,
                              struct text *out)
{
    text_add(out, "  ");
    layout_left(out, name, 18);
    layout_right(out, value, 14);
    text_addf(out, "%s%s\n", remark[0] ? "   " : "", remark);
}

static void print_quantity(const char *name, double value, const char *remark, struct text *out)
{
    char cell[NUMBER_BUFFER];
    print_named_value(name, number_plain(cell, sizeof cell, value), remark, out);
}

static void print_count(const char *name, double value, const char *remark, struct text *out)
{
    char cell[NUMBER_BUFFER];
    print_named_value(name, number_count(cell, sizeof cell, value), remark, out);
}

static void print_quantities(const struct analysis *a, const struct report_style *style,
                             struct text *out)
{
    bool steady = strcmp(a->phase, "no_steady_state") != 0;
    layout_heading(out, style, steady ? "The steady part" : "The readings the number is of");
    print_count("readings", (double)(a->stable_end - a->stable_begin), "", out);
    print_quantity("min", a->min, "", out);
    print_quantity("median", a->median, "", out);
    print_quantity("max", a->max, "", out);
    print_quantity("sd", a->sd, "of single readings", out);
    print_quantity("harmonic mean", a->harmonic_mean, "the mean of rates over equal work", out);
    print_quantity("autocorrelation", a->autocorrelation, "of neighbours; 0: independent", out);
    print_count("subsession size", (double)a->subsession_size,
                "readings merged into an independent one", out);
    print_count("effective n", floor(a->effective_n), "independent readings worth as much", out);
    if (a->asked)
        print_count("required n", ceil(a->required_n), "readings the precision asked for takes",
                    out);
}

static void print_percentiles(const struct analysis *a, const struct report_style *style,
                              struct text *out)
{
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], heading[48];
    snprintf(heading, sizeof heading, "Percentiles, with %g %% intervals", 100 * a->confidence);
    layout_heading(out, style, heading);
    for (size_t i = 0; i < ANALYSIS_PERCENTILES; i++) {
        const struct analysis_percentile *p = &a->percentiles[i];
        struct number_scale scale = number_scale_plain(p->value, p->low, p->high);
        struct text lead = layout_part_of(out), words = {0};
        text_add(&lead, "  ");
        layout_left(&lead, p->name, 18);
        layout_right(&lead, number_scaled(value, sizeof value, &scale, p->value), 14);
        text_add(&lead, "   ");
        if (isfinite(p->low))
            text_addf(&words, "%s to %s%s", number_scaled(low, sizeof low, &scale, p->low),
                      number_scaled(high, sizeof high, &scale, p->high), p->note[0] ? ", " : "");
        text_add(&words, p->note);
        layout_paragraph(out, style, layout_string(&lead), TONE_PLAIN, layout_string(&words));
        out->failed |= lead.failed || words.failed;
        text_free(&lead);
        text_free(&words);
    }
}

struct plot analysis_plot(const struct analysis *a)
{
    return (struct plot){.values = a->values,
                         .count = a->n,
                         .stable_begin = a->stable_begin,
                         .stable_end = a->stable_end,
                         .changepoints = a->changepoints,
                         .changepoint_count = a->changepoint_count};
}

void text_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out)
{
    struct phase_view view = {.phase = a->phase,
                              .search = a->search,
                              .stable_begin = a->stable_begin,
                              .stable_end = a->stable_end,
                              .count = a->n,
                              .changepoints = a->changepoints,
                              .changepoint_count = a->changepoint_count};
    struct plot plot = analysis_plot(a);
    struct text words = {0};
    clauses_print(a->clauses, a->clause_count, a->confidence, style, out);
    print_mean(a, style, out);
    text_addf(&words, "%zu reading%s of %s", a->n, a->n == 1 ? "" : "s",
              strcmp(a->source, "-") ? a->source : "standard input");
    if (a->column[0])
        text_addf(&words, ", column %s", a->column);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    text_free(&words);
    analysis_add_reason(a, &words);
    phase_sentences(&view, &words);
    analysis_add_shift(a, &words);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    text_free(&words);
    layout_heading(out, style, "The readings in their order");
    plot_series(&plot, style, out);
    phase_changepoints(&view, &words);
    if (words.data)
        layout_paragraph(out, style, "  ", TONE_PLAIN, words.data);
    text_free(&words);
    print_quantities(a, style, out);
    print_percentiles(a, style, out);
    text_add(out, "\n");
    labels_print(&a->labels, style, out);
    text_addf(out, "  change points by %s, interval by %s\n", a->changepoint_method,
              a->interval_method);
}
