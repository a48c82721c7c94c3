/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a run's page. Each function adds nothing if the result has no such data. `what` is
   the result. */
#ifndef CUPEL_REPORT_RUN_RUN_FIGURES_H
#define CUPEL_REPORT_RUN_RUN_FIGURES_H

#include "report/html/chart.h"
#include "report/report.h"

/* Draws the main numbers in large letters, with their intervals. */
void figures_of_numbers(const void *what, size_t number, struct text *out);

/* Draws the sessions of --repeat, or the probes of --find-rate, with their intervals. */
void figures_of_sessions(const void *what, size_t number, struct text *out);

/* Draws percentiles, throughput and latency over time. The part that the number is computed from is
   marked. */
void figures_over_time(const void *what, size_t number, struct text *out);

/* Draws the watched state of the machine: a strip for each kind of gauge, all over the same
   time. */
void figures_of_state(const void *what, size_t number, struct text *out);

/* Draws the hosts (or jobs, ...) of a merged result side by side. */
void figures_of_groups(const void *what, size_t number, struct text *out);

/* Adds lines to a chart of response times: the limits of clauses on response times of this
   operation. */
void limits_add(const struct result *r, const char *op, struct chart *chart);

/* Draws the latency histograms. */
void figures_of_latency(const void *what, size_t number, struct text *out);

/* A distribution. distributions_chart draws the distribution functions of one or two of them over
   one time axis, named `label`. */
struct distribution {
    const char *name;
    const struct result_histogram *histograms; /* [count], added up */
    size_t count;
};
void distributions_chart(const char *title, const char *label, const struct distribution d[],
                         size_t count, struct text *out);

#endif
