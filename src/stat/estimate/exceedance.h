/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The share of values above a threshold, and the number of independent values with the same
 * uncertainty: latencies that come in clusters, or whose level moves, are worth fewer than their
 * count. Percentile intervals (percentile.h) and clauses about percentiles (sequential.h) are built
 * on it. Pure; any thread may call it.
 */
#ifndef CUPEL_STAT_ESTIMATE_EXCEEDANCE_H
#define CUPEL_STAT_ESTIMATE_EXCEEDANCE_H

#include <stddef.h>

#include "base/arena.h"

struct exceedance {
    double above, count; /* number of values above the threshold, and of all values */
    double share;        /* above / count; NaN when there are no values */
    /* number of independent values whose share would have the same uncertainty; 0 .. count */
    double effective_n;
    double stretches; /* number of independent time slices in which the share was observed */
    /* parameter d of the long memory that effective_n and `stretches` allow for; 0: no evidence of
       memory */
    double memory;
    /* factor, at least 1, by which the share's interval would be wider if it also allowed for long
       memory that the values neither show nor exclude; 0: not known */
    double doubt;
};

/* Scratch bytes that exceedance_of needs. */
size_t exceedance_scratch_bytes(size_t intervals);

/*
 * Computes the exceedance when above[i] of the count[i] values in interval i, in order of time, lie
 * above the threshold. estimate_ratio gives the interval of sum(above)/sum(count); it takes into
 * account both the spread of the counts and their dependence from one interval to the next.
 * effective_n is the number of independent values that would give an interval of that width.
 * Intervals that compensate each other (a stall every second) do not make it larger. When no value
 * lies above, or all do, clusters cannot be seen, and effective_n is the count. With fewer than 3
 * intervals effective_n is 0.
 */
struct exceedance exceedance_of(const double above[], const double count[], size_t intervals,
                                double confidence, struct arena *scratch);

/* Returns the exceedance after allowing for all long memory that is plausible (`doubt`). Use it if
   the long memory of the values was found at another threshold. */
struct exceedance exceedance_with_memory(const struct exceedance *e);

/*
 * Returns the number of independent values at a threshold that is exceeded by a share `rare` of the
 * values. It assumes that the relative variation of the share over time, beyond chance, is the same
 * at that threshold as at this one.
 */
double exceedance_worth_at(const struct exceedance *e, double rare);

#endif
