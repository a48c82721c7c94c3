/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws two distribution functions, or two series, in one frame: one as an area, the other as a
   line over it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum { ROWS = 10, COLUMNS = PLOT_COLUMNS_MAX, GUTTER = 11, DECADES_MAX = 12 };

struct frame {
    bool both; /* a line is drawn over the area */
    /* where the line jumps to another row, it is drawn vertically */
    bool connected;
    double area[COLUMNS], line[COLUMNS]; /* 0 .. 1; NaN: a gap */
    size_t columns;
    char top[NUMBER_BUFFER], middle[NUMBER_BUFFER], bottom[NUMBER_BUFFER];
    char positions[COLUMNS + 1]; /* line of labels below the axis */
    bool tick[COLUMNS];
};

/* Returns the height of a level from 0 to 1 in rows, which may be a fraction. */
static double height_of(double level)
{
    return isnan(level) ? 0 : fmax(0, fmin(level, 1)) * ROWS;
}

/* Returns the row in which the line is drawn: the top row of an area of the same level. -1: the
   line is on the axis. */
static int line_row(double level)
{
    return (int)lround(height_of(level)) - 1;
}

static bool line_is_in(const struct frame *f, size_t column, int row)
{
    if (!f->both || isnan(f->line[column]))
        return false;
    int here = line_row(f->line[column]), before = here;
    if (f->connected && column > 0 && !isnan(f->line[column - 1]))
        before = line_row(f->line[column - 1]);
    return row == here || (row > before && row < here) || (row < before && row > here);
}

/* Puts the label of a tick on the line of labels, centred at the tick's column, unless it would
   touch another label. */
static void frame_place_label(struct frame *f, size_t column, const char *label)
{
    size_t length = strlen(label), at = column > length / 2 ? column - length / 2 : 0;
    if (at + length > f->columns)
        at = f->columns - length;
    for (size_t i = at > 0 ? at - 1 : 0; i < at + length + 1 && i < f->columns; i++)
        if (f->positions[i] != ' ')
            return;
    memcpy(f->positions + at, label, length);
}

static const char *frame_cell(const struct frame *f, size_t column, int row, bool unicode)
{
    if (line_is_in(f, column, row))
        return unicode ? "●" : "*";
    double height = height_of(f->area[column]) - row;
    if (!f->both)
        return plot_cell((int)lround(8 * fmin(height, 1)), unicode);
    return height < 0.5 ? " " : unicode ? "░" : ":";
}

static void frame_draw(const struct frame *f, const struct report_style *style, struct text *out)
{
    const char *area = style->unicode ? "░" : ":", *line = style->unicode ? "●" : "*";
    const char *tick = style->unicode ? "┴" : "+", *axis = style->unicode ? "─" : "-";
    for (int row = ROWS - 1; row >= 0; row--) {
        layout_right(out, row == ROWS - 1 ? f->top : row == ROWS / 2 - 1 ? f->middle : "", GUTTER);
        text_add(out, style->unicode ? " │" : " |");
        for (size_t i = 0; i < f->columns; i++)
            text_add(out, frame_cell(f, i, row, style->unicode));
        layout_end_line(out);
    }
    layout_right(out, f->bottom, GUTTER);
    text_add(out, style->unicode ? " └" : " +");
    for (size_t i = 0; i < f->columns; i++)
        text_add(out, line_is_in(f, i, -1) ? line : f->tick[i] ? tick : axis);
    text_add(out, "\n");
    layout_right(out, "", GUTTER + 2);
    text_add(out, f->positions);
    layout_end_line(out);
    if (!f->both)
        return;
    layout_right(out, "", GUTTER + 2);
    text_addf(out, "%s the trace   %s the replay\n", area, line);
}

static void frame_begin(struct frame *f, const struct report_style *style)
{
    *f = (struct frame){.columns = plot_columns(layout_width(style), GUTTER + 3)};
    memset(f->positions, ' ', f->columns);
    f->positions[f->columns] = '\0';
    for (size_t i = 0; i < COLUMNS; i++)
        f->area[i] = f->line[i] = NAN;
}

/* ---- distribution functions ---- */

/* Extends the range of decades so that it contains every value. */
static void add_range(const struct plot_distribution *d, double *first, double *last)
{
    for (size_t h = 0; h < d->count; h++) {
        const struct result_histogram *from = &d->histograms[h];
        for (size_t i = 0; i < from->count; i++) {
            if (from->counts[i] == 0)
                continue;
            *first = fmin(*first, floor(log10(fmax(from->edges[i], 10))));
            *last = fmax(*last, ceil(log10(fmax(from->edges[i + 1], 10))));
        }
    }
}

static void sample_cdf(const struct plot_distribution *d, double first, double decades,
                       size_t columns, double level[])
{
    double total = 0;
    for (size_t h = 0; h < d->count; h++)
        for (size_t i = 0; i < d->histograms[h].count; i++)
            total += (double)d->histograms[h].counts[i];
    for (size_t i = 0; i < columns && total > 0; i++) {
        double x = pow(10, first + decades * (double)(i + 1) / (double)columns), below = 0;
        /* Counts the values at or below x. The values of a bucket are assumed to be spread evenly
           over it. */
        for (size_t h = 0; h < d->count; h++) {
            const struct result_histogram *from = &d->histograms[h];
            for (size_t k = 0; k < from->count && from->edges[k] < x; k++)
                below += (double)from->counts[k] *
                         fmin(1, (x - from->edges[k]) / (from->edges[k + 1] - from->edges[k]));
        }
        level[i] = below / total;
    }
}

void plot_cdf(const struct plot_distribution *area, const struct plot_distribution *line,
              const struct report_style *style, struct text *out)
{
    struct frame f;
    double first = INFINITY, last = -INFINITY;
    frame_begin(&f, style);
    add_range(area, &first, &last);
    add_range(line, &first, &last);
    if (!(first <= last)) {
        text_add(out, "  no samples\n");
        return;
    }
    int decades = (int)fmin(fmax(last - first, 1), DECADES_MAX);
    f.columns -= f.columns % (size_t)decades;
    f.positions[f.columns] = '\0';
    f.both = line->count > 0;
    f.connected = true;
    sample_cdf(area, first, decades, f.columns, f.area);
    sample_cdf(line, first, decades, f.columns, f.line);
    snprintf(f.top, sizeof f.top, "100 %%");
    snprintf(f.middle, sizeof f.middle, "50 %%");
    snprintf(f.bottom, sizeof f.bottom, "0 %%");
    for (int i = 0; i <= decades; i++) {
        char label[NUMBER_BUFFER];
        size_t at = (size_t)i * f.columns / (size_t)decades;
        /* a column shows the level at its right end, so the tick is one column to the left */
        size_t column = at > 0 ? at - 1 : 0;
        f.tick[column] = true;
        frame_place_label(&f, column,
                          number_value(label, sizeof label, METRIC_KIND_TIME, pow(10, first + i)));
    }
    frame_draw(&f, style, out);
}

/* ---- series ---- */

static double mean_between(const struct result_series *s, size_t begin, size_t end)
{
    return plot_mean(s->values, begin, end < s->count ? end : s->count);
}

void plot_overlay(const struct result_series *area, const struct result_series *line,
                  const struct report_style *style, struct text *out)
{
    struct frame f;
    char label[NUMBER_BUFFER];
    double top = NAN;
    size_t count = line->count > area->count ? line->count : area->count;
    frame_begin(&f, style);
    f.both = true;
    if (count < f.columns && count > 0)
        f.columns -= f.columns % count;
    f.positions[f.columns] = '\0';
    for (size_t i = 0; i < f.columns; i++) {
        size_t begin = i * count / f.columns, end = (i + 1) * count / f.columns;
        f.area[i] = mean_between(area, begin, end > begin ? end : begin + 1);
        f.line[i] = mean_between(line, begin, end > begin ? end : begin + 1);
        top = fmax(top, fmax(f.area[i], f.line[i]));
    }
    if (isnan(top)) {
        text_add(out, "  no readings\n");
        return;
    }
    for (size_t i = 0; i < f.columns && top > 0; i++) {
        f.area[i] /= top;
        f.line[i] /= top;
    }
    number_value(f.top, sizeof f.top, area->kind, top);
    number_value(f.middle, sizeof f.middle, area->kind, top / 2);
    number_value(f.bottom, sizeof f.bottom, area->kind, 0);
    frame_place_label(&f, 0, "0 s");
    frame_place_label(&f, f.columns,
                      number_seconds(label, sizeof label, (double)count * area->slice_seconds));
    frame_draw(&f, style, out);
}
