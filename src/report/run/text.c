/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The full text report of a run: verdict, warnings, numbers, plots, and how and on what it was
   measured; screen.c has the report of one screen. */
#include <stdio.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

#define SERIES_ROWS_MAX 8

void section_notes(const struct result *r, bool warnings, const struct report_style *style,
                   struct text *out)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning == warnings)
            layout_paragraph(out, style, warnings ? "Warning: " : "  - ",
                             warnings ? TONE_YELLOW : TONE_PLAIN, r->notes[i].text);
}

static struct plot plot_of_headline(const struct result_series *s)
{
    return (struct plot){.values = s->values,
                         .count = s->count,
                         .stable_begin = s->stable_begin,
                         .stable_end = s->stable_end,
                         .changepoints = s->changepoints,
                         .changepoint_count = s->changepoint_count,
                         .slice_seconds = s->slice_seconds,
                         .kind = s->kind};
}

/* "IOPS over time, in slices of 10 ms" */
static void add_series_title(const struct result *r, const struct result_series *s,
                             struct text *out)
{
    char slice[NUMBER_BUFFER];
    const char *title = s->name;
    for (int id = 0; id < METRIC_COUNT; id++)
        if (!strcmp(metric_of((enum metric_id)id)->name, s->name))
            title = result_title(r, (enum metric_id)id);
    text_addf(out, "%s over time, in slices of %s", title,
              number_seconds(slice, sizeof slice, s->slice_seconds));
    if (out->data && out->data[0] >= 'a' && out->data[0] <= 'z')
        out->data[0] = (char)(out->data[0] - 'a' + 'A');
}

void series_print(const struct result *r, size_t lines, const struct report_style *style,
                  struct text *out)
{
    const struct result_series *s = headline_series(r);
    struct text title = {0};
    if (!s || s->count == 0)
        return;
    struct plot plot = plot_of_headline(s);
    plot.rows = lines - PLOT_AXIS_LINES - 1;
    plot.rows = plot.rows < SERIES_ROWS_MAX ? plot.rows : SERIES_ROWS_MAX;
    add_series_title(r, s, &title);
    layout_line(out, style, TONE_BOLD, layout_string(&title));
    text_free(&title);
    plot_series(&plot, style, out);
}

void section_series(const struct result *r, const struct report_style *style, struct text *out)
{
    const struct result_series *s = headline_series(r);
    struct phase_view view;
    struct text words = {0};
    if (!s || !headline_phase(r, &view))
        return;
    const struct plot plot = plot_of_headline(s);
    add_series_title(r, s, &words);
    layout_heading(out, style, layout_string(&words));
    text_free(&words);
    plot_series(&plot, style, out);
    phase_changepoints(&view, &words);
    if (words.data)
        layout_paragraph(out, style, "  ", TONE_PLAIN, words.data);
    text_free(&words);
}

void section_histograms(const struct result *r, const struct report_style *style, struct text *out)
{
    for (size_t i = 0; i < r->histogram_count; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "%s histogram, %s",
                 r->timed ? "Response time" : "Latency", r->histograms[i].op);
        layout_heading(out, style, heading);
        plot_histogram(&r->histograms[i], style, out);
    }
}

void text_print(const struct result *r, const struct report_style *style, struct text *out)
{
    section_rates_answer(r, style, out);
    section_rates_table(r, style, out);
    section_rates_curve(r, style, out);
    section_rates_heading(r, style, out);
    section_clauses(r, style, out);
    section_verdict(r, style, out);
    section_read_back(r, style, out);
    section_system(r, style, out);
    section_differences(r, style, out);
    section_on_time(r, style, out);
    section_priority_answer(r, style, out);
    section_bottlenecks(r, style, out);
    section_stalled(r, style, out);
    section_notes(r, true, style, out);
    section_sessions(r, style, out);
    section_averages(r, style, out);
    section_metrics(r, style, out);
    section_service(r, style, out);
    section_phases(r, style, out);
    section_latency(r, style, out);
    section_priorities(r, style, out);
    section_groups(r, style, out);
    section_series(r, style, out);
    section_percentiles(r, style, out);
    section_histograms(r, style, out);
    section_issue_error(r, style, out);
    section_fidelity(r, style, out);
    section_slowest(r, style, out);
    section_kernel_log(r, style, out);
    section_path(r, style, out);
    section_state(r, style, out);
    section_method(r, style, out);
    section_notes(r, false, style, out);
    section_hardware(r, style, out);
}
