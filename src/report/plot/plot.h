/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plots made of characters: a series over time, a latency histogram, and comparisons of two.
 *
 * Each line is at most style->width columns and ends with a line break. With style->unicode bars
 * are drawn with block characters, which show an eighth of a cell; otherwise with ASCII, which
 * shows about a third.
 */
#ifndef CUPEL_REPORT_PLOT_PLOT_H
#define CUPEL_REPORT_PLOT_PLOT_H

#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"
#include "report/report.h"

/* A series to plot; readings that are not finite leave a gap. */
struct plot {
    const double *values;
    size_t count;
    size_t stable_begin, stable_end; /* half open */
    const size_t *changepoints;
    size_t changepoint_count;
    double slice_seconds;  /* 0: positions are readings, and values have no unit */
    enum metric_kind kind; /* unit of the values, when slice_seconds is above 0 */
    size_t rows;           /* height of the bars in lines; 0: eight, with a legend below */
};
#define PLOT_AXIS_LINES 2 /* lines below the bars */

/* Draws a bar for each column of slices, and below it an axis that marks the stable part and the
   cuts. */
void plot_series(const struct plot *p, const struct report_style *style, struct text *out);

/* Returns the columns of a plot over time, when `beside` of the line are taken: 60, or all that
   there are on a terminal wider than 80. */
#define PLOT_COLUMNS_MAX 186
size_t plot_columns(size_t width, size_t beside);

/* Returns the mean of the finite values in [begin, end); NaN: there are none, or the mean is not
   finite. */
double plot_mean(const double values[], size_t begin, size_t end);

/* Returns a cell of a bar that is filled by this many eighths from below, limited to 0..8. */
const char *plot_cell(int eighths, bool unicode);

/* A few rows of bars that begin at 0, with the highest value and the name beside them: for live
   screens. Allocates nothing when `out` has room. */
struct plot_strip {
    const double *values; /* values that are not finite leave a gap */
    size_t count, columns, rows;
    enum metric_kind kind;
    const char *name; /* at most PLOT_STRIP_GUTTER - 2 columns */
};
#define PLOT_STRIP_GUTTER 12
void plot_strip(const struct plot_strip *p, const struct report_style *style, struct text *out);

/*
 * Distribution functions, the share of values at or below a time, over a logarithmic axis of time.
 * Histograms of several operations are added up. `area` is drawn as an area; `line`, which may be
 * empty, as a line on it.
 */
struct plot_distribution {
    const struct result_histogram *histograms;
    size_t count;
};
void plot_cdf(const struct plot_distribution *area, const struct plot_distribution *line,
              const struct report_style *style, struct text *out);

/* Draws two series of equal slices over time: `area`, and `line` on it. */
void plot_overlay(const struct result_series *area, const struct result_series *line,
                  const struct report_style *style, struct text *out);

/*
 * Two percentiles over time on a logarithmic axis. Points lie at `at`, in s from 0 to `seconds`;
 * periods without a point leave a gap.
 */
struct plot_band {
    const double *at, *low, *high;
    size_t count, periods;
    double seconds;
    const char *low_name, *high_name;
};
void plot_band(const struct plot_band *p, const struct report_style *style, struct text *out);

/* A distribution; several are drawn below each other on one axis. `kind` decides how the ends are
   written; NULL: as plain numbers. */
struct plot_box {
    const char *name; /* at most 5 columns */
    double min, quartile1, median, quartile3, max, mean;
};
void plot_boxes(const struct plot_box boxes[], size_t count, const enum metric_kind *kind,
                const struct report_style *style, struct text *out);

/* Draws a histogram: buckets are merged into about a dozen rows of equal ratio, and each tail into
   one row. */
void plot_histogram(const struct result_histogram *h, const struct report_style *style,
                    struct text *out);

#endif
