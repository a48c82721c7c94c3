/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the page of a run. Each prints nothing for what the result does not have. */
#ifndef CUPEL_REPORT_RUN_RUN_FIGURES_H
#define CUPEL_REPORT_RUN_RUN_FIGURES_H

#include "report/report.h"

/* The main numbers in large letters, with their intervals. */
void figures_of_numbers(const struct result *r, struct text *out);

/* Sessions of --repeat, or probes of --find-rate, with their intervals. */
void figures_of_sessions(const struct result *r, struct text *out);

/* Percentiles over time; throughput and latency over time, with the part that the number is of. */
void figures_over_time(const struct result *r, struct text *out);

/* Where the measured time of all figures over time ends: s since the measuring began. */
double measured_end(const struct result *r);

/* What was watched: a strip for each kind of thing, all over the same time. */
void figures_of_state(const struct result *r, struct text *out);

/* The hosts (or jobs, ...) of a merge beside each other. */
void figures_of_groups(const struct result *r, struct text *out);

/* Latency histograms. */
void figures_of_latency(const struct result *r, struct text *out);

/* The figures of sections, whose places are numbered: the share of requests that were issued at
   most so late; a trace and its replay over each other. `context` is the result. */
void figure_of_lateness(const void *context, size_t number, struct text *out);
void figure_of_fidelity(const void *context, size_t number, struct text *out);

#endif
