/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plots made of characters: a series over time, a latency histogram, and comparisons of two.
 *
 * Each line has at most style->width columns and ends with a line break. Bars are drawn with block
 * characters if style->unicode, with a resolution of an eighth of a character; otherwise in ASCII,
 * with a resolution of about a third.
 */
#ifndef CUPEL_REPORT_PLOT_PLOT_H
#define CUPEL_REPORT_PLOT_PLOT_H

#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"
#include "report/report.h"

/* A series to plot. Values that are not finite are gaps. */
struct plot {
    const double *values;
    size_t count;
    size_t stable_begin, stable_end; /* stable part: values from begin to before end */
    const size_t *changepoints;
    size_t changepoint_count;
    /* seconds of each value; 0: the values are readings without a time and a unit */
    double slice_seconds;
    enum metric_kind kind; /* kind of the values, if slice_seconds is above 0 */
    size_t rows;           /* height of the bars in lines; 0: eight, and a legend below the plot */
};
#define PLOT_AXIS_LINES 2 /* number of lines below the bars */

/* Draws a bar for each column of slices. Below, an axis marks the stable part and the change
   points. */
void plot_series(const struct plot *p, const struct report_style *style, struct text *out);

/* Returns the number of columns for a plot over time. `width`: columns of the terminal; `beside`:
   columns of it that are used for other things. Returns 60, or on a terminal wider than 80 columns,
   all that are left. */
#define PLOT_COLUMNS_MAX 186
size_t plot_columns(size_t width, size_t beside);

/* Returns the mean of the finite values from index `begin` to before `end`. Returns NaN if there
   are none, or if the mean is not finite. */
double plot_mean(const double values[], size_t begin, size_t end);

/* Returns the character for a cell of a bar that is filled from below by this number of eighths.
   Numbers below 0 mean 0, above 8 mean 8. */
const char *plot_cell(int eighths, bool unicode);

/* A low bar chart for live screens. Bars begin at 0; at the left are the highest value and the
   name. Allocates nothing if `out` has enough memory. */
struct plot_strip {
    const double *values; /* [count], values that are not finite are gaps */
    size_t count, columns, rows;
    enum metric_kind kind;
    const char *name; /* name that takes at most PLOT_STRIP_GUTTER - 2 columns */
};
#define PLOT_STRIP_GUTTER 12
void plot_strip(const struct plot_strip *p, const struct report_style *style, struct text *out);

/*
 * Cumulative distribution functions: the share of values at or below a time, over a logarithmic
 * time axis. Histograms of several operations are added up. `area` is drawn as an area, and `line`,
 * which may be empty, as a line over it.
 */
struct plot_distribution {
    const struct result_histogram *histograms;
    size_t count;
};
void plot_cdf(const struct plot_distribution *area, const struct plot_distribution *line,
              const struct report_style *style, struct text *out);

/* Draws two series of equal slices over time: `area` as an area, `line` as a line over it. */
void plot_overlay(const struct result_series *area, const struct result_series *line,
                  const struct report_style *style, struct text *out);

/*
 * Two percentiles over time, on a logarithmic axis of values. Points are at the times `at`, in
 * seconds from 0 to `seconds`, which is divided into `periods`. Periods without a point are gaps.
 */
struct plot_band {
    const double *at, *low, *high;
    size_t count, periods;
    double seconds;
    const char *low_name, *high_name;
};
void plot_band(const struct plot_band *p, const struct report_style *style, struct text *out);

/* A distribution as a box. Several boxes are drawn below each other on one axis. `kind` determines
   how the ends of the axis are written; NULL: as plain numbers. */
struct plot_box {
    const char *name; /* at most 5 columns */
    double min, quartile1, median, quartile3, max, mean;
};
void plot_boxes(const struct plot_box boxes[], size_t count, const enum metric_kind *kind,
                const struct report_style *style, struct text *out);

/* Draws a histogram. Buckets are merged into about a dozen rows whose bounds have a constant ratio,
   and each tail into one row. */
void plot_histogram(const struct result_histogram *h, const struct report_style *style,
                    struct text *out);

#endif
