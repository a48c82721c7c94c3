/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the answer on one screen: the verdict, the one thing to do about it, the numbers with
   their intervals, the percentiles, the path, and a plot in the lines that are left. The full
   report has more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/number.h"
#include "report/layout/screen_fit.h"
#include "report/path/path_view.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

enum {
    FOOTER_LINES = 1,
    WARNINGS_SHOWN = 3,
    WARNING_LINES = 2,
    PLOT_LINES_MIN = 6,
    PLOT_WIDTH_MIN = 40,
    NAME_WIDTH = 16,
    TIME_WIDTH = 9,
    ARM_WIDTH = 8
};

/* ---- numbers ---- */

/* Returns true if the row is shown: its metric comes before the percentiles in tables/metrics.h; or
   it counts errors, and there were some. */
static bool is_shown(const struct result *r, const struct result_row *row)
{
    if (row->metric == METRIC_ERRORS)
        return row->value > 0;
    /* A row for all operations is left out if at least two single operations have a row. */
    size_t parts = 0;
    for (int op = 0; op < OPERATIONS && !strcmp(row->op, "all"); op++)
        parts += operation_has_bytes(op) && result_find(r, row->metric, operation_names[op]);
    if (parts > 1)
        return false;
    return row->metric < METRIC_LATENCY_P50 && !isnan(row->value);
}

static void add_in_words(const struct result *r, const struct result_row *row, struct document *out)
{
    char value[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    struct text words = {0};
    const char *op = result_op_word(r, row->op);
    text_addf(&words, "%s%s%s: %s %s", op, *op ? " " : "", result_title(r, row->metric),
              number_value(value, sizeof value, metric_of(row->metric)->kind, row->value),
              isfinite(row->high - row->low)
                  ? number_plus_minus(arm, sizeof arm, row->value, row->low, row->high)
                  : "");
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

static void screen_numbers(const struct result *r, struct document *out)
{
    bool begun = screen_is_narrow(&out->style);
    for (size_t i = 0; i < r->row_count; i++) {
        struct result_row row = r->rows[i];
        if (!is_shown(r, &row))
            continue;
        row.note[0] = '\0'; /* the full report has the note */
        if (screen_is_narrow(&out->style)) {
            add_in_words(r, &row, out);
            continue;
        }
        if (!begun) {
            document_end_row(out);
            metric_titles(out);
        }
        begun = true;
        metric_print(r, &row, out);
    }
}

/* ---- percentiles ---- */

static const struct {
    const char *title;
    enum metric_id response, service;
} percentiles[] = {{"p50", METRIC_LATENCY_P50, METRIC_SERVICE_P50},
                   {"p99", METRIC_LATENCY_P99, METRIC_SERVICE_P99},
                   {"p99.9", METRIC_LATENCY_P999, METRIC_SERVICE_P999},
                   {"max", METRIC_LATENCY_MAX, METRIC_SERVICE_MAX}};
enum { PERCENTILES = sizeof percentiles / sizeof *percentiles, MAXIMUM = PERCENTILES - 1 };

static enum metric_id percentile_metric(size_t i, bool service)
{
    return service ? percentiles[i].service : percentiles[i].response;
}

static void add_percentiles(const struct result *r, const char *name, const char *op, bool service,
                            struct document *out)
{
    char cell[NUMBER_BUFFER];
    document_addf(out, "  ");
    snprintf(cell, sizeof cell, "%s %s", name, r->rate_title[0] ? "" : op);
    document_left(out, cell, NAME_WIDTH - 2);
    for (size_t i = 0; i < PERCENTILES; i++) {
        const struct result_row *row = result_find(r, percentile_metric(i, service), op);
        const double value = row ? row->value : NAN;
        document_right(out, number_value(cell, sizeof cell, METRIC_KIND_TIME, value), TIME_WIDTH);
        if (i == MAXIMUM)
            continue;
        number_arm_signed(cell, sizeof cell, value, row ? row->low : NAN, row ? row->high : NAN);
        document_right(out, strcmp(cell, "-") ? cell : "", ARM_WIDTH + 1);
    }
    document_end_row(out);
}

static void percentile_titles(struct document *out)
{
    document_left(out, "", NAME_WIDTH);
    for (size_t i = 0; i < PERCENTILES; i++) {
        document_right(out, percentiles[i].title, TIME_WIDTH);
        document_left(out, "", i == MAXIMUM ? 0 : ARM_WIDTH + 1);
    }
    document_end_row(out);
}

static void screen_percentiles(const struct result *r, struct document *out)
{
    bool begun = false;
    for (int op = 0; op <= OPERATION_ALL; op++) {
        const char *name = operation_names[op];
        const struct result_row *median = result_find(r, METRIC_LATENCY_P50, name);
        if (!median || isnan(median->value) || (begun && op == OPERATION_ALL))
            continue;
        if (screen_is_narrow(&out->style)) {
            const struct result_row *tail = result_find(r, METRIC_LATENCY_P99, name);
            add_in_words(r, median, out);
            if (tail)
                add_in_words(r, tail, out);
            continue;
        }
        if (!begun)
            percentile_titles(out);
        begun = true;
        add_percentiles(r, r->timed ? "response" : "latency", name, false, out);
        if (r->timed && result_find(r, METRIC_SERVICE_P50, name))
            add_percentiles(r, "service", name, true, out);
    }
}

/* ---- the path ---- */

static void add_efficiency(const struct result *r, const char *op, double limit, int part,
                           struct text *out)
{
    const struct result_row *row = result_find(r, METRIC_BANDWIDTH, op);
    char rate[NUMBER_BUFFER], share[NUMBER_BUFFER];
    if (!row || !(limit > 0) || isnan(row->value))
        return;
    text_addf(out, "%s%s %s is %s of the path's limit, %s", out->length > 0 ? "; " : "", op,
              metric_of(row->metric)->title,
              number_percent(share, sizeof share, row->value / limit),
              number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, limit));
    if (part >= 0)
        text_addf(out, " (%s)", r->parts[part].name);
}

/* Prints the utilisation of the data path: "read bandwidth is 12 % of the path's limit, 3.94 GB/s
   (0000:01:00.0); nvme0n1 busy 96 %". */
static void screen_path(const struct result *r, struct document *out)
{
    const struct path_view p = path_of_result(r);
    struct text words = {0};
    if (!path_is_known(&p))
        return;
    add_efficiency(r, "read", p.limit_read, p.limiting_read, &words);
    add_efficiency(r, "write", p.limit_write, p.limiting_write, &words);
    if (!words.length)
        text_add(&words, "the limit is not known");
    for (size_t i = 0; i < p.part_count; i++) {
        char share[NUMBER_BUFFER];
        if (p.parts[i].under_test && isfinite(p.parts[i].utilisation))
            text_addf(&words, "; %s in use %s%s%s", p.parts[i].name,
                      number_percent(share, sizeof share, p.parts[i].utilisation),
                      strcmp(p.parts[i].measure, "busy time") ? " of its " : " of the time",
                      strcmp(p.parts[i].measure, "busy time") ? p.parts[i].measure : "");
    }
    document_paragraph_from(out, "Path: ", TONE_PLAIN, &words);
}

/* Prints links that run slower than they could. */
static void screen_links(const struct result *r, struct document *out)
{
    if (!r->hardware || !r->hardware->node_count)
        return;
    const struct findings_view findings = {
        .inventory = r->hardware, .wanted = section_is_concerned, .context = r, .rest = ""};
    findings_print(&findings, out);
}

/* Prints whether requests were issued late; prints nothing if they were on time. */
static void screen_late(const struct result *r, struct document *out)
{
    if (timing_is_late(r))
        section_on_time(r, out);
}

void screen_warnings(const struct result *r, struct document *out)
{
    size_t warnings = 0;
    for (size_t i = 0; i < r->note_count; i++) {
        if (!r->notes[i].warning || warnings++ >= WARNINGS_SHOWN)
            continue;
        document_paragraph(out, "Warning: ", TONE_YELLOW, r->notes[i].text);
        document_limit_lines(out, WARNING_LINES);
    }
    if (warnings > WARNINGS_SHOWN)
        document_line(out, "         and %zu more warnings", warnings - WARNINGS_SHOWN);
}

/* ---- the whole screen ---- */

typedef void section(const struct result *r, struct document *out);

struct part {
    section *print;
    size_t lines;  /* maximum number of lines */
    unsigned rank; /* parts of a higher rank are left out first if the screen is full; 0: never */
};

static const struct part sections[] = {
    {section_rates_answer, 4, 0}, {section_rates_heading, 2, 1},
    {section_clauses, 7, 0},      {section_number, 3, 0},
    {section_repetition, 2, 1},   {section_prediction_check, 2, 1},
    {section_workload, 2, 0},     {section_read_back, 2, 0},
    {section_advice, 3, 0},       {section_priority_answer, 6, 0},
    {screen_links, 2, 1},         {screen_warnings, 7, 1},
    {section_system, 4, 1},       {section_stalled, 2, 3},
    {screen_late, 2, 3},          {screen_numbers, 11, 0},
    {screen_percentiles, 5, 2},   {section_phases, 6, 4},
    {section_fidelity, 6, 5},     {section_groups, 7, 5},
    {section_sessions, 7, 5},     {section_rates_curve, 9, 5},
    {screen_path, 2, 3},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* Figures for a terminal of more than 24 lines, the most important first. */
static section *const figures[] = {section_histograms, section_percentiles};
enum { FIGURES = sizeof figures / sizeof *figures, SERIES_LINES = 11 };

/* Fills the lines that are left with the series, and adds those figures below it that leave at
   least SERIES_LINES lines for the series. */
static void add_plots(const struct result *r, size_t lines, const struct report_style *style,
                      struct screen_part parts[1 + FIGURES])
{
    struct document series = document_for(style);
    for (size_t i = 0; i < FIGURES && lines > SERIES_LINES; i++) {
        struct text *to = &parts[1 + i].text;
        struct document d = document_for(style);
        figures[i](r, &d);
        document_print_text(&d, to);
        document_free(&d);
        if (text_lines(to) + SERIES_LINES > lines)
            text_free(to);
        lines -= text_lines(to);
    }
    series_print(r, lines, &series);
    document_print_text(&series, &parts[0].text);
    document_free(&series);
}

void screen_draw(const void *what, size_t number, const struct report_style *style,
                 struct text *out)
{
    const struct result *r = what;
    /* sections, series and figures, footer */
    struct screen_part parts[SECTIONS + 1 + FIGURES + 1] = {0};
    const size_t count = sizeof parts / sizeof *parts, lines = screen_lines(style);
    const bool has_room = style->width <= 0 || style->width >= PLOT_WIDTH_MIN;
    (void)number;
    for (size_t i = 0; i < SECTIONS; i++) {
        struct document d = document_for(style);
        parts[i].lines_max = sections[i].lines;
        parts[i].rank = sections[i].rank;
        sections[i].print(r, &d);
        document_print_text(&d, &parts[i].text);
        document_free(&d);
    }
    const size_t used = screen_fit(parts, SECTIONS, lines - FOOTER_LINES) + FOOTER_LINES;
    if (has_room && used + PLOT_LINES_MIN <= lines)
        add_plots(r, lines - used, style, &parts[SECTIONS]);
    screen_add_footer(style, &parts[count - 1].text);
    screen_join(parts, count, out);
}
