/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What charts share: axes, points of a column, and their data. Places are in units of the view box.
 */
#ifndef CUPEL_REPORT_HTML_INTERNAL_H
#define CUPEL_REPORT_HTML_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/html/svg.h"

#define AXIS_TICKS_MAX 16

/* From `low` at place `from` to `high` at place `to`. */
struct axis {
    bool log;
    double low, high;
    double from, to;
    enum metric_kind kind;
    const char *unit; /* of a fact, in place of a kind; or NULL */
};

/* The same with ends at round numbers; of a logarithmic one both ends become positive. An axis that
   need not begin at 0 magnifies no noise below 2 % of the values. */
void axis_round(struct axis *a);
double axis_place(const struct axis *a, double value);

struct axis_tick {
    double value;
    bool labelled;
    char label[48];
};

/* About `wanted` ticks at round numbers; returns how many, at most AXIS_TICKS_MAX. */
size_t axis_ticks(const struct axis *a, size_t wanted, struct axis_tick ticks[AXIS_TICKS_MAX]);

/* The series of a chart as JSON in a <script> that is data, not a program. */
void chart_add_data(struct text *out, const struct chart *c);

/* Style and, with `program`, script, and the rule that no other script runs (page_parts.c). */
void html_add_parts(struct text *out, bool program);

/* Points [begin, end) of `values`, those that are finite. */
struct chart_column {
    double low, mean, high; /* NaN: none is */
};
struct chart_column chart_column_of(const double values[], size_t begin, size_t end);

#endif
