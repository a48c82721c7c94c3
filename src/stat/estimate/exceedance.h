/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The share of values above a threshold, and what the values are worth: latencies that come in
 * clusters, or wander, are worth less than their count. Percentile intervals (percentile.h) and
 * clauses about percentiles (sequential.h) both stand on it. Pure, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_EXCEEDANCE_H
#define CUPEL_STAT_ESTIMATE_EXCEEDANCE_H

#include <stddef.h>

#include "base/arena.h"

struct exceedance {
    double above, count; /* values above the threshold, and all values */
    double share;        /* above / count; NaN when there are no values */
    double effective_n; /* independent values that would leave the share as uncertain; 0 .. count */
    double stretches;   /* independent stretches of time that the share was seen in */
};

/* Scratch bytes that exceedance_of takes. */
size_t exceedance_scratch_bytes(size_t intervals);

/*
 * above[i] of count[i] values in interval i, in order of time, lay above the threshold. The
 * interval of sum(above)/sum(count) comes from estimate_ratio, which sees both the counts' spread
 * and their dependence from one interval to the next; effective_n is how many independent values
 * would give an interval of that width. Intervals that even each other out (a stall every second)
 * are not taken as worth more. When no value lies above, or all do, nothing is known of clusters,
 * and effective_n is the count. Below 3 intervals it is 0.
 */
struct exceedance exceedance_of(const double above[], const double count[], size_t intervals,
                                double confidence, struct arena *scratch);

/*
 * Independent values when the spread of this share over time, beyond what chance gives, is the
 * same, relative to the share, at a threshold that the share `rare` lies above.
 */
double exceedance_worth_at(const struct exceedance *e, double rare);

#endif
