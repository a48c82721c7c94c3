/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints notes, series over time, and histograms. */
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/layout/screen_fit.h"
#include "report/plot/plot.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

#define SERIES_ROWS_MAX      8
#define SERIES_ROWS_MAX_HIGH 16 /* used on a terminal of more than 24 lines */

void section_notes(const struct result *r, bool warnings, struct document *out)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning == warnings)
            document_paragraph(out, warnings ? "Warning: " : "  - ",
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

/* Adds a title: "IOPS over time, in slices of 10 ms". */
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

/* Draws the headline's series with at most this many rows of bars; 0: the usual number. */
static void draw_series(const void *what, size_t rows, const struct report_style *style,
                        struct text *out)
{
    struct plot plot = plot_of_headline(headline_series(what));
    const size_t max = screen_lines(style) > SCREEN_LINES ? SERIES_ROWS_MAX_HIGH : SERIES_ROWS_MAX;
    plot.rows = rows < max ? rows : max;
    plot_series(&plot, style, out);
}

void histogram_draw(const void *what, size_t number, const struct report_style *style,
                    struct text *out)
{
    plot_histogram(&((const struct result *)what)->histograms[number], style, out);
}

void series_print(const struct result *r, size_t lines, struct document *out)
{
    const struct result_series *s = headline_series(r);
    struct text title = {0};
    if (!s || s->count == 0)
        return;
    add_series_title(r, s, &title);
    document_line_toned(out, "", TONE_BOLD, layout_string(&title), "");
    text_free(&title);
    document_figure(
        out,
        (struct figure){.text = draw_series, .context = r, .number = lines - PLOT_AXIS_LINES - 1});
}

void section_series(const struct result *r, struct document *out)
{
    const struct result_series *s = headline_series(r);
    struct phase_view view;
    struct text words = {0};
    if (!s || !headline_phase(r, &view))
        return;
    add_series_title(r, s, &words);
    document_heading(out, layout_string(&words));
    text_free(&words);
    document_figure(out,
                    (struct figure){.text = draw_series, .page = figures_over_time, .context = r});
    phase_changepoints(&view, &words);
    if (words.data)
        document_paragraph(out, "  ", TONE_PLAIN, words.data);
    text_free(&words);
}

void section_histograms(const struct result *r, struct document *out)
{
    for (size_t i = 0; i < r->histogram_count; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "%s histogram, %s",
                 r->timed ? "Response time" : "Latency", r->histograms[i].op);
        document_heading(out, heading);
        document_figure(out, (struct figure){.text = histogram_draw, .context = r, .number = i});
    }
}
