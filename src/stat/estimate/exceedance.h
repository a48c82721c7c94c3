/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The share of values above a threshold, and how many independent values they are worth: latencies
 * that come in clusters, or wander, are worth fewer than their count. Percentile intervals
 * (percentile.h) and clauses about percentiles (sequential.h) are built on it. Pure, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_EXCEEDANCE_H
#define CUPEL_STAT_ESTIMATE_EXCEEDANCE_H

#include <stddef.h>

#include "base/arena.h"

struct exceedance {
    double above, count; /* values above the threshold, and all values */
    double share;        /* above / count; NaN when there are no values */
    double effective_n;  /* number of independent values that would leave the share as uncertain; 0
                            .. count */
    double stretches;    /* number of independent stretches of time in which the share was
                            observed */
    double memory; /* d of the long memory that effective_n and stretches allow for; 0: no evidence
                      of memory */
    double doubt;  /* factor, at least 1, by which the share's interval would be wider if it allowed
                      for all memory that is plausible; 0: not known */
};

/* Scratch bytes that exceedance_of takes. */
size_t exceedance_scratch_bytes(size_t intervals);

/*
 * Computes the exceedance when above[i] of count[i] values in interval i, in order of time, lay
 * above the threshold. The interval of sum(above)/sum(count) comes from estimate_ratio, which sees
 * both the counts' spread and their dependence from one interval to the next; effective_n is how
 * many independent values would give an interval of that width. Intervals that even each other out
 * (a stall every second) are not taken as worth more. When no value lies above, or all do, clusters
 * cannot be seen, and effective_n is the count. Below 3 intervals it is 0.
 */
struct exceedance exceedance_of(const double above[], const double count[], size_t intervals,
                                double confidence, struct arena *scratch);

/* Returns the exceedance with all memory that is plausible: for values of which another threshold
   shows that they have memory. */
struct exceedance exceedance_with_memory(const struct exceedance *e);

/*
 * Returns the number of independent values at a threshold that the share `rare` lies above, if
 * there the spread over time beyond chance is, relative to the share, the same as here.
 */
double exceedance_worth_at(const struct exceedance *e, double rare);

#endif
