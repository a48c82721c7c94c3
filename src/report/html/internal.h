/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes, and the elements that figures are made of. Places are in units of the view box. */
#ifndef CUPEL_REPORT_HTML_INTERNAL_H
#define CUPEL_REPORT_HTML_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"
#include "report/html/chart.h"
#include "report/html/html.h"

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

/* A place: one decimal, without a 0 that says nothing; never a NaN. */
void svg_add_place(struct text *out, double place);

/* <text>, `class` among the names of page.css. */
void svg_add_words(struct text *out, double x, double y, const char *class, const char *words);
void svg_add_line(struct text *out, double x1, double y1, double x2, double y2, const char *class);
void svg_add_box(struct text *out, double x, double y, double width, double height,
                 const char *class);

/* <figure>, its caption without an end, and <svg> up to its first element; and the end. */
void figure_begin(struct text *out, const char *class, const char *title, const char *words);
void svg_begin(struct text *out, double width, double height, const char *label);
void figure_end(struct text *out);

/* The series of a chart as JSON in a <script> that is data, not a program. */
void chart_add_data(struct text *out, const struct chart *c);

/* Points [begin, end) of `values`, those that are finite. */
struct chart_column {
    double low, mean, high; /* NaN: none is */
};
struct chart_column chart_column_of(const double values[], size_t begin, size_t end);

#endif
