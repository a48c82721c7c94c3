/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the charts share: axes, summaries of the points in a column, and chart data. Places are in
   units of the SVG view box. */
#ifndef CUPEL_REPORT_HTML_INTERNAL_H
#define CUPEL_REPORT_HTML_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/html/svg.h"

#define AXIS_TICKS_MAX 16

/* Maps values from `low` to `high` to places from `from` to `to`. */
struct axis {
    bool log;
    double low, high;
    double from, to;
    enum metric_kind kind;
    const char *unit; /* unit of a fact, which replaces `kind`; or NULL */
};

/* axis_round moves both ends of the axis outwards to round numbers; on a logarithmic axis both
   become positive. An axis that need not begin at 0 spans at least 2 % of the values, so that small
   noise is not magnified. axis_place returns the position of a value on the figure, between `from`
   and `to`. */
void axis_round(struct axis *a);
double axis_place(const struct axis *a, double value);

struct axis_tick {
    double value;
    bool labelled;
    char label[48];
};

/* Makes about `wanted` ticks at round numbers; returns their number, at most AXIS_TICKS_MAX. */
size_t axis_ticks(const struct axis *a, size_t wanted, struct axis_tick ticks[AXIS_TICKS_MAX]);

/* Summary of the finite values from index `begin` to before `end`. */
struct chart_column {
    double low, mean, high; /* NaN: no value is finite */
};
struct chart_column chart_column_of(const double values[], size_t begin, size_t end);

/* Adds the series of a chart as JSON in a <script> element that contains data, not a program. */
void chart_add_data(struct text *out, const struct chart *c);

#endif
