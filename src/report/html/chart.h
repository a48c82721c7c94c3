/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a page: SVG that prints and needs no script, and beside it the same series as JSON,
 * for a script that zooms. Colours are variables of the page's style, one set each for light, dark
 * and paper.
 *
 * However long a series is, its figure has a point for each of a few hundred columns, with the
 * range of what lies in it, and its JSON CHART_DATA_MAX points.
 */
#ifndef CUPEL_REPORT_HTML_CHART_H
#define CUPEL_REPORT_HTML_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"
#include "report/plot/plot.h"

#define CHART_LINES_MAX 8
#define CHART_DATA_MAX  2000

struct chart_line {
    const char *name;
    const double *y;          /* one for each x; NaN leaves a gap */
    const double *low, *high; /* the same of a band around it; or NULL */
    bool area;                /* filled down to the axis */
    unsigned colour;          /* 0 to 5 */
};

/* A vertical line; the label may be NULL. */
struct chart_mark {
    double x;
    const char *label;
};

/* Strips stand below each other; the last of them shows the time. */
enum chart_shape { CHART_WHOLE, CHART_STRIP, CHART_LAST_STRIP };

struct chart {
    const char *title, *words; /* words: below the title, or NULL */
    const char *x_label;
    enum metric_kind x_kind, y_kind;
    const char *y_unit; /* of a fact ("Hz", "C"), in place of a kind; or NULL */
    const double *x;    /* ascending */
    size_t count;
    double x_begin, x_end; /* ends of the axis; both 0: of the values */
    bool log_x, log_y;
    bool highest; /* of neighbours in one column the highest stands for them, not the mean */
    enum chart_shape shape;
    struct chart_line lines[CHART_LINES_MAX];
    size_t line_count;
    double counted_begin, counted_end; /* the part that the number is of; equal: not marked */
    const struct chart_mark *marks;
    size_t mark_count;
    double limit;           /* a horizontal line; 0: none */
    const char *limit_name; /* NULL: "limit" */
};

/* Nothing where no value is finite. */
void chart_add(struct text *out, const struct chart *c);

/* Named rows below each other on one axis. */
struct chart_row {
    const char *name, *words; /* words stand after it; or NULL */
    double low, value, high;
    double quartile1, quartile3; /* of a box; equal: there is none */
    bool odd;                    /* coloured as a warning */
};
struct chart_rows {
    const char *title, *words;
    enum metric_kind kind;
    bool log;
    double reference; /* a vertical line; 0: none */
    const struct chart_row *rows;
    size_t count;
};
void chart_rows_add(struct text *out, const struct chart_rows *c);

/* What plot_series draws with characters: slices over time, or readings in their order; `marks`
   stand beside the change points. The axis ends at `end`, 0: with the last value. */
void chart_series(struct text *out, const struct plot *p, const char *title, const char *name,
                  double end, enum chart_shape shape, const struct chart_mark marks[],
                  size_t mark_count);

#endif
