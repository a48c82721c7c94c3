/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a trace and its replay side by side: a table with distances, and plots of both over each
   other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"
#include "report/run/formats.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

static const char *fidelity_unit(const void *record)
{
    const struct result_fidelity *row = record;
    return row->kind == METRIC_KIND_TIME ? "ns" : row->kind == METRIC_KIND_SECONDS ? "s" : "1";
}

static const char *fidelity_measure(const void *row)
{
    return fidelity_measure_name(((const struct result_fidelity *)row)->measure);
}

const struct field fidelity_fields[] = {
    FIELD(result_fidelity, name, "quantity", "quantity"),
    FIELD_WORDS(fidelity_unit, "unit", "unit"),
    FIELD_BOTH(result_fidelity, original),
    FIELD_BOTH(result_fidelity, replay),
    FIELD_WORDS(fidelity_measure, "measure", "measure"),
    FIELD_BOTH(result_fidelity, distance),
    FIELD_BOTH(result_fidelity, note),
    FIELD_LAST,
};

enum { NAME_WIDTH = 26, VALUE_WIDTH = 12 };

static void fidelity_add_value(struct document *out, const struct result_fidelity *row,
                               double value)
{
    char cell[NUMBER_BUFFER];
    bool distance_alone = isnan(row->original) && isnan(row->replay) && row->measure;
    if (row->kind == METRIC_KIND_SHARE)
        number_share(cell, sizeof cell, value);
    else
        number_value(cell, sizeof cell, row->kind, value);
    document_right(out, distance_alone ? "" : cell, VALUE_WIDTH);
}

/* Prints a row. If its name has ": ", the words before it are left out, as the row above has
   printed them. */
static void fidelity_print_row(const struct result_fidelity *row, struct document *out)
{
    char name[NAME_WIDTH + 1];
    const char *aspect = strstr(row->name, ": ");
    snprintf(name, sizeof name, "%s%s", aspect ? "  " : "", aspect ? aspect + 2 : row->name);
    document_add(out, "  ");
    document_left(out, name, NAME_WIDTH);
    fidelity_add_value(out, row, row->original);
    fidelity_add_value(out, row, row->replay);
    static const char *const words[FIDELITY_MEASURES] = {[FIDELITY_KS] = "KS",
                                                         [FIDELITY_EARTH_MOVER] = "earth mover's",
                                                         [FIDELITY_CORRELATION] = "correlation"};
    char cell[NUMBER_BUFFER];
    if (row->measure != FIDELITY_NONE) {
        if (row->measure == FIDELITY_EARTH_MOVER)
            number_value(cell, sizeof cell, row->kind, row->distance);
        else
            snprintf(cell, sizeof cell, "%.3f", row->distance);
        document_right(out, cell, VALUE_WIDTH);
        document_addf(out, " %s", words[row->measure]);
    }
    document_end_row(out);
    if (row->note[0])
        document_paragraph(out, "      ", TONE_PLAIN, row->note);
}

static void fidelity_print_table(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {{"", -(2 + NAME_WIDTH)},
                                                  {"original", VALUE_WIDTH},
                                                  {"replay", VALUE_WIDTH},
                                                  {"distance", VALUE_WIDTH}};
    bool measures[FIDELITY_MEASURES] = {false};
    document_titles(out, titles, sizeof titles / sizeof *titles);
    const char *group = "";
    size_t length = 0;
    for (size_t i = 0; i < r->fidelity_count; i++) {
        const struct result_fidelity *row = &r->fidelity[i];
        const char *aspect = strstr(row->name, ": ");
        if (aspect && strncmp(row->name, group, length) != 0)
            document_line(out, "  %.*s", (int)(aspect - row->name), row->name);
        group = row->name;
        length = aspect ? (size_t)(aspect - row->name) : strlen(row->name);
        if (row->measure || strstr(row->name, ": dispersion"))
            measures[row->measure] = true;
        fidelity_print_row(row, out);
    }
    static const char *const legend[FIDELITY_MEASURES] = {
        [FIDELITY_NONE] =
            "dispersion: variance over mean of the counts; 1: Poisson arrivals, more: "
            "bursts.",
        [FIDELITY_KS] = "KS: the largest gap between the two distribution functions; 0: the same, "
                        "1: nothing in common.",
        [FIDELITY_EARTH_MOVER] = "earth mover's: how far a value must be moved on average to make "
                                 "one distribution the other.",
        [FIDELITY_CORRELATION] = "correlation: 1: in step, 0: unrelated."};
    for (size_t i = 0; i < FIDELITY_MEASURES; i++)
        if (measures[i])
            document_paragraph(out, "  ", TONE_PLAIN, legend[i]);
}

static const char *title_of(const struct result_series *original)
{
    static const char *const titles[][2] = {{"issued", "Requests issued per second"},
                                            {"queue_length", "Queue length"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(original->name, titles[i][0]))
            return titles[i][1];
    return original->name;
}

/* Returns the replay's series with the same name as this series of the trace, or NULL. */
static const struct result_series *replay_of(const struct result *r, size_t original)
{
    for (size_t s = 0; s < r->series_count; s++)
        if (!strcmp(r->series[s].name, r->original[original].name) && r->series[s].count > 0)
            return &r->series[s];
    return NULL;
}

static void draw_overlay(const void *what, size_t number, const struct report_style *style,
                         struct text *out)
{
    const struct result *r = what;
    plot_overlay(&r->original[number], replay_of(r, number), style, out);
}

static void draw_distributions(const void *what, size_t number, const struct report_style *style,
                               struct text *out)
{
    const struct result *r = what;
    (void)number;
    plot_cdf(&(struct plot_distribution){r->original_histograms, r->original_histogram_count},
             &(struct plot_distribution){r->histograms, r->histogram_count}, style, out);
}

/* ---- the figures of a page ---- */

static void chart_overlay(const void *what, size_t number, struct text *out)
{
    enum { POINTS_MAX = CHART_DATA_MAX / 2 };
    const struct result *r = what;
    const struct result_series *original = &r->original[number], *replay = replay_of(r, number);
    double x[POINTS_MAX], y[2][POINTS_MAX];
    size_t count = original->count > replay->count ? original->count : replay->count;
    size_t together = (count + POINTS_MAX - 1) / POINTS_MAX, points = 0;
    for (size_t begin = 0; begin < count; begin += together, points++) {
        const struct result_series *const both[] = {original, replay};
        x[points] = ((double)begin + (double)together / 2) * original->slice_seconds;
        for (size_t s = 0; s < 2; s++) {
            double sum = 0;
            size_t n = 0;
            for (size_t i = begin; i < begin + together && i < both[s]->count; i++)
                if (isfinite(both[s]->values[i])) {
                    sum += both[s]->values[i];
                    n++;
                }
            y[s][points] = n ? sum / (double)n : NAN;
        }
    }
    struct chart chart = {
        .title = title_of(original),
        .x_label = "time",
        .x_kind = METRIC_KIND_SECONDS,
        .y_kind = original->kind,
        .x = x,
        .count = points,
        .x_end = (double)count * original->slice_seconds,
        .lines = {{.name = "trace", .y = y[0]}, {.name = "replayed", .y = y[1], .colour = 1}},
        .line_count = 2};
    chart_add(out, &chart);
}

static void chart_distributions(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    const struct distribution both[] = {
        {"trace", r->original_histograms, r->original_histogram_count},
        {"replayed", r->histograms, r->histogram_count}};
    (void)number;
    distributions_chart("Response time", "response time", both, 2, out);
}

void section_fidelity(const struct result *r, struct document *out)
{
    if (r->fidelity_count == 0)
        return;
    document_heading(out, "Fidelity: the trace beside its replay");
    fidelity_print_table(r, out);
    for (size_t i = 0; i < r->original_count; i++) {
        if (!replay_of(r, i))
            continue;
        char heading[96];
        snprintf(heading, sizeof heading, "%s, of the trace and its replay",
                 title_of(&r->original[i]));
        document_heading(out, heading);
        document_figure(
            out, (struct figure){
                     .text = draw_overlay, .page = chart_overlay, .context = r, .number = i});
    }
    if (r->original_histogram_count == 0 || r->histogram_count == 0)
        return;
    document_heading(out, "Response time: requests completed within, of the trace and its replay");
    document_figure(
        out,
        (struct figure){.text = draw_distributions, .page = chart_distributions, .context = r});
}
