/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a page: SVG, which can be printed and needs no script, and the same series as JSON for
 * a script that zooms. Colours are variables of the page's style, with one set each for light, dark
 * and paper.
 *
 * A series of any length is reduced: the figure has a few hundred columns, each with one point and
 * the range of the values in it, and the JSON has at most CHART_DATA_MAX points.
 */
#ifndef CUPEL_REPORT_HTML_CHART_H
#define CUPEL_REPORT_HTML_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"
#include "report/plot/plot.h"

#define CHART_LINES_MAX  8
#define CHART_LIMITS_MAX 4
#define CHART_DATA_MAX   2000

struct chart_line {
    const char *name;
    const double *y;          /* [count], NaN is a gap */
    const double *low, *high; /* [count], ends of a band around the line; NULL: no band */
    bool area;                /* fill the area down to the axis */
    unsigned colour;          /* number of a colour of the page's style, 0 to 5 */
};

/* A vertical line with a label, which may be NULL. */
struct chart_mark {
    double x;
    const char *label;
};

/* A line for a limit of the values. It crosses the y axis, or the x axis with limits_of_x. */
struct chart_limit {
    double value;
    const char *name;
};

/* Strips are charts of low height drawn below each other; only the last one has a time axis. */
enum chart_shape { CHART_WHOLE, CHART_STRIP, CHART_LAST_STRIP };

struct chart {
    const char *title, *words; /* `words`: text below the title, or NULL */
    const char *x_label;
    enum metric_kind x_kind, y_kind;
    const char *y_unit; /* unit of a fact ("Hz", "C"), which replaces y_kind; or NULL */
    const double *x;    /* ascending */
    size_t count;
    double x_begin, x_end; /* ends of the x axis; both 0: the first and the last value of `x` */
    bool log_x, log_y;
    bool highest; /* the line shows the maximum of each column instead of the mean */
    enum chart_shape shape;
    struct chart_line lines[CHART_LINES_MAX];
    size_t line_count;
    /* part of the x axis that is marked, because the reported number is computed from it; both
       equal: no part is marked */
    double counted_begin, counted_end;
    const struct chart_mark *marks;
    size_t mark_count;
    struct chart_limit limits[CHART_LIMITS_MAX];
    size_t limit_count;
    bool limits_of_x;
};

/* Adds a chart. Adds nothing if no value is finite. */
void chart_add(struct text *out, const struct chart *c);

/* A named interval or box; rows are drawn below each other on one axis. */
struct chart_row {
    const char *name, *words; /* `words`: text at the end of the row, or NULL */
    double low, value, high;
    double quartile1, quartile3; /* ends of a box; equal: no box */
    bool odd;                    /* drawn in the colour of warnings */
};
struct chart_rows {
    const char *title, *words;
    enum metric_kind kind;
    bool log;
    double reference; /* position of a vertical line; 0: no line */
    const struct chart_row *rows;
    size_t count;
};
void chart_rows_add(struct text *out, const struct chart_rows *c);

/* Adds the chart of a plot that plot_series draws with characters: slices over time, or readings in
   order. `marks` are drawn in addition to the change points. The x axis ends at `end` (0: at the
   last value). */
void chart_series(struct text *out, const struct plot *p, const char *title, const char *name,
                  double end, enum chart_shape shape, const struct chart_mark marks[],
                  size_t mark_count);

#endif
