/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the page of a run. Each adds nothing when the result lacks its data. */
#ifndef CUPEL_REPORT_RUN_RUN_FIGURES_H
#define CUPEL_REPORT_RUN_RUN_FIGURES_H

#include "report/report.h"

/* The main numbers in large letters, with their intervals. */
void figures_of_numbers(const struct result *r, struct text *out);

/* Sessions of --repeat, or probes of --find-rate, with their intervals. */
void figures_of_sessions(const struct result *r, struct text *out);

/* Percentiles over time; throughput and latency over time, with the counted part marked. */
void figures_over_time(const struct result *r, struct text *out);

/* Returns where figures over time end: s since the measurement began. */
double measured_end(const struct result *r);

/* The watched state: a strip for each kind of thing, all over the same time. */
void figures_of_state(const struct result *r, struct text *out);

/* The hosts (or jobs, ...) of a merge side by side. */
void figures_of_groups(const struct result *r, struct text *out);

/* Latency histograms. */
void figures_of_latency(const struct result *r, struct text *out);

/* The figures of sections, whose places are numbered: the distribution of how late requests were
   issued; a trace and its replay over each other. `context` is the result. */
void figure_of_lateness(const void *context, size_t number, struct text *out);
void figure_of_fidelity(const void *context, size_t number, struct text *out);

#endif
