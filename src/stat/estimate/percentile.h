/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Percentiles with their intervals.
 *
 * The interval comes from order statistics and takes no shape of distribution for granted: with
 * F the cdf of Binomial(n, p), the ranks l = max{k: F(k-1) <= a/2} and u = min{k: F(k-1) >= 1-a/2}.
 * It exists only from a least n on (72 for p95, 368 for p99, 3,688 for p99.9, two-sided 95 %).
 * n is the effective number of independent samples: latencies that come in clusters are worth less
 * than their count. percentile_of_intervals does all of it; the others are its steps.
 * Pure, any thread. The measured coverage is in tests/unit/test_percentile_coverage.c.
 */
#ifndef CUPEL_STAT_ESTIMATE_PERCENTILE_H
#define CUPEL_STAT_ESTIMATE_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stat/basic/histogram.h"

struct percentile {
    double share;     /* 0.99 */
    double value;     /* ns; NaN, as low and high are, when there are not enough samples */
    double low, high; /* ns */
    double confidence;
    uint64_t n;
    double effective_n;
    bool enough; /* both ends of the interval exist */
};

/*
 * Ranks (1-based, whole) of the interval's ends among floor(n) values, or false: it does not exist.
 * Exact up to n = 1e9; at 1e12 within a thousandth of the rank's standard deviation.
 */
bool percentile_ranks(double n, double share, double confidence, double *lower, double *upper);

/* Least n for which the two-sided (or upper one-sided) interval exists. */
double percentile_min_n(double share, double confidence, bool two_sided);

/*
 * The latency (ns, the lower or upper edge of the percentile's bucket) above which the share of
 * values comes nearest to 1 - share: for histogram_above. NaN when empty.
 */
double percentile_threshold(const struct histogram *total, double share);

/*
 * What n = sum of count[] samples are worth: above[i] of count[i] values in interval i, in order of
 * time, lay above the threshold. The interval of sum(above)/sum(count) comes from estimate_ratio,
 * which sees both the counts' spread and their dependence from one interval to the next; the result
 * is how many independent values would give an interval of that width. When a few intervals hold
 * most of what lies above, their spread is little known, and the width grows as Student's t does.
 *
 * Never more than n. 0 below 3 intervals: nothing is known. When no value lies above, or all do
 * (all in one bucket), n. What a run has not shown once it cannot know: with fewer than about 10
 * stalls in a run, a percentile that stalls decide is not covered as stated.
 */
double percentile_effective_n(const double above[], const double count[], size_t intervals,
                              double confidence, struct arena *scratch);

/*
 * The percentile and its interval. Rank k of effective_n stands for the block of n / effective_n
 * values that end at rank k n / effective_n. The interval reaches from the first value of block l
 * to the last of block u (for effective_n = n: the ranks l and u themselves), and from the least
 * value that the lower bucket can hold to the greatest of the upper: the width of a bucket (1.56 %)
 * is part of it, so that it covers what it says whatever lies inside the buckets.
 */
struct percentile percentile_of(const struct histogram *total, double share, double confidence,
                                double effective_n);

/* A run that is divided into intervals, in order of time. */
struct percentile_intervals {
    const struct histogram *total; /* all intervals together */
    size_t intervals;
    /* Fill count[i], the values of interval i, and above[i], those surely above ns
     * (histogram_above). */
    void (*counts)(const void *source, double ns, double above[], double count[]);
    const void *source;
};

/* Scratch bytes that percentile_of_intervals and percentile_effective_n take. */
size_t percentile_scratch_bytes(size_t intervals);

/*
 * The percentile and its interval by the clusters that are found. They are looked for twice, at the
 * percentile and at the upper end of the first interval, because a run with few stalls has the one
 * below the stalls and the other in them; the wider interval that exists is the result.
 */
struct percentile percentile_of_intervals(const struct percentile_intervals *x, double share,
                                          double confidence, struct arena *scratch);

#endif
