/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plots made of characters: a series over time, and a latency histogram.
 *
 * Each line is at most style->width columns and ends with a line break. With style->unicode bars
 * are drawn with block characters, which show an eighth of a cell; otherwise with ASCII, which
 * shows about a third.
 */
#ifndef CUPEL_REPORT_PLOT_H
#define CUPEL_REPORT_PLOT_H

#include <stddef.h>

#include "base/result.h"
#include "base/text.h"
#include "report/report.h"

/* What the plot of a series needs; readings that are not finite leave a gap. */
struct plot {
    const double *values;
    size_t count;
    size_t stable_begin, stable_end; /* half open */
    const size_t *changepoints;
    size_t changepoint_count;
    double slice_seconds;  /* 0: positions are readings, values have no unit */
    enum metric_kind kind; /* how values are written, when slice_seconds is above 0 */
};

/* A bar for each column of slices, and below it an axis that marks the stable part and the cuts. */
void plot_series(const struct plot *p, const struct report_style *style, struct text *out);

/* Buckets merged to about a dozen rows of equal ratio, the ends put together into one row each. */
void plot_histogram(const struct result_histogram *h, const struct report_style *style,
                    struct text *out);

#endif
