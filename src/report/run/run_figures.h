/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the page of a run. Each adds nothing when the result lacks its data;
   `what` is the result. */
#ifndef CUPEL_REPORT_RUN_RUN_FIGURES_H
#define CUPEL_REPORT_RUN_RUN_FIGURES_H

#include "report/html/chart.h"
#include "report/report.h"

/* The main numbers in large letters, with their intervals. */
void figures_of_numbers(const void *what, size_t number, struct text *out);

/* Sessions of --repeat, or probes of --find-rate, with their intervals. */
void figures_of_sessions(const void *what, size_t number, struct text *out);

/* Percentiles over time; throughput and latency over time, with the counted part marked. */
void figures_over_time(const void *what, size_t number, struct text *out);

/* The watched state: a strip for each kind of thing, all over the same time. */
void figures_of_state(const void *what, size_t number, struct text *out);

/* The hosts (or jobs, ...) of a merge side by side. */
void figures_of_groups(const void *what, size_t number, struct text *out);

/* Adds the limits of clauses on response times of this operation to a chart of response times. */
void limits_add(const struct result *r, const char *op, struct chart *chart);

/* Latency histograms. */
void figures_of_latency(const void *what, size_t number, struct text *out);

/* Adds the distribution functions of at most two, over one axis of time named `label`. */
struct distribution {
    const char *name;
    const struct result_histogram *histograms; /* taken together */
    size_t count;
};
void distributions_chart(const char *title, const char *label, const struct distribution d[],
                         size_t count, struct text *out);

#endif
