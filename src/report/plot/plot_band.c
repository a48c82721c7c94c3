/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws two percentiles over time on a logarithmic axis, with the band between them. */
#include <math.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum { ROWS = 8, COLUMNS_MAX = PLOT_COLUMNS_MAX, GUTTER = 11 };

/* Minimum ratio of the axis' ends, so that small noise is not magnified. */
#define MIN_RATIO 1.5

struct canvas {
    size_t columns;
    double low[COLUMNS_MAX], high[COLUMNS_MAX]; /* NaN: a gap */
    double bottom, top;
};

/* Sets low and high of each column to its lowest and highest value. */
static void fill_columns(const struct plot_band *p, struct canvas *c)
{
    for (size_t i = 0; i < c->columns; i++)
        c->low[i] = c->high[i] = NAN;
    for (size_t i = 0; i < p->count; i++) {
        double place = p->at[i] / p->seconds * (double)c->columns;
        size_t column = place > 0 ? (size_t)place : 0;
        column = column < c->columns ? column : c->columns - 1;
        if (!(p->low[i] > 0) || !(p->high[i] > 0))
            continue;
        c->low[column] = fmin(c->low[column], p->low[i]);
        c->high[column] = fmax(c->high[column], p->high[i]);
    }
}

/* Prepares the canvas. Returns false if there is nothing to draw. */
static bool canvas_make(const struct plot_band *p, size_t width, struct canvas *c)
{
    c->columns = plot_columns(width, GUTTER + 3);
    if (p->periods < c->columns)
        c->columns = p->periods;
    if (!c->columns || !(p->seconds > 0))
        return false;
    fill_columns(p, c);
    c->bottom = INFINITY;
    c->top = 0;
    for (size_t i = 0; i < c->columns; i++) {
        c->bottom = fmin(c->bottom, c->low[i]); /* fmin and fmax ignore NaN */
        c->top = fmax(c->top, c->high[i]);
    }
    if (!(c->top > 0))
        return false;
    double lack = fmax(1, sqrt(MIN_RATIO / (c->top / c->bottom)));
    c->bottom /= lack;
    c->top *= lack;
    return true;
}

static int row_of(const struct canvas *c, double value)
{
    if (isnan(value))
        return -1;
    int row = (int)(log(value / c->bottom) / log(c->top / c->bottom) * ROWS);
    return row < 0 ? 0 : row < ROWS ? row : ROWS - 1;
}

static void band_add_label(double value, struct text *out)
{
    char label[NUMBER_BUFFER];
    layout_right(out, number_value(label, sizeof label, METRIC_KIND_TIME, value), GUTTER);
}

/* Returns the character of a cell: that for the high end of the column's range, for the low end, or
   for the band between them. */
static const char *cell_of(const struct canvas *c, size_t column, int row, bool unicode)
{
    int low = row_of(c, c->low[column]), high = row_of(c, c->high[column]);
    if (row == high)
        return unicode ? "●" : "*";
    if (row == low)
        return unicode ? "○" : "o";
    return row > low && row < high ? unicode ? "░" : ":" : " ";
}

static void add_rows(const struct canvas *c, bool unicode, struct text *out)
{
    for (int row = ROWS - 1; row >= 0; row--) {
        if (row == ROWS - 1)
            band_add_label(c->top, out);
        else if (row == ROWS / 2 - 1)
            band_add_label(sqrt(c->top * c->bottom), out);
        else
            layout_right(out, "", GUTTER);
        text_add(out, unicode ? " │" : " |");
        for (size_t i = 0; i < c->columns; i++)
            text_add(out, cell_of(c, i, row, unicode));
        layout_end_line(out);
    }
}

static void add_axis(const struct plot_band *p, const struct canvas *c, bool unicode,
                     struct text *out)
{
    char end[NUMBER_BUFFER];
    band_add_label(c->bottom, out);
    text_add(out, unicode ? " └" : " +");
    for (size_t i = 0; i < c->columns; i++)
        text_add(out, unicode ? "─" : "-");
    text_add(out, "\n");
    layout_right(out, "", GUTTER + 2);
    text_add(out, "0 s");
    number_seconds(end, sizeof end, p->seconds);
    layout_right(out, end, c->columns > strlen(end) + 4 ? c->columns - 3 : strlen(end) + 1);
    text_add(out, "\n");
    layout_right(out, "", GUTTER + 2);
    text_addf(out, unicode ? "● %s   ○ %s" : "* %s   o %s", p->high_name, p->low_name);
    if (c->columns < p->periods)
        text_addf(out, "   (a column has the highest %s and the lowest %s)", p->high_name,
                  p->low_name);
    text_add(out, "\n");
}

void plot_band(const struct plot_band *p, const struct report_style *style, struct text *out)
{
    struct canvas canvas;
    if (!canvas_make(p, layout_width(style), &canvas)) {
        text_add(out, "  no readings\n");
        return;
    }
    add_rows(&canvas, style->unicode, out);
    add_axis(p, &canvas, style->unicode, out);
}
