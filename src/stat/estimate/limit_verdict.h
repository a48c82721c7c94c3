/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a mean or a percentile keeps its limit: sequential.h applied to the results of estimate.h
 * and exceedance.h. The functions judge the clauses of a session, and also clauses about a column
 * of numbers. Pure; any thread may call them.
 */
#ifndef CUPEL_STAT_ESTIMATE_LIMIT_VERDICT_H
#define CUPEL_STAT_ESTIMATE_LIMIT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/estimate/estimate.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/sequential.h"

struct limit {
    double value;
    bool above;   /* true: the judged value has to lie above `value`; false: below it */
    double alpha; /* maximum probability that the verdict is ever wrong */
};

struct limit_verdict {
    enum sequential_verdict verdict;
    /* factor by which the number of readings is expected to have to grow until there is a verdict;
       1: there is one */
    double more;
    const char *lack; /* reason why there can be no verdict yet, or NULL */
    /* for a mean: the limit is far from all that was measured (limit_is_far) */
    bool far;
};

/*
 * Returns true if a limit is so far from a value that no protection against drift is needed.
 * `part_low` and `part_high` are the lowest and the highest value of ESTIMATE_PARTS parts of the
 * time. The limit is far when it differs from the value at least LIMIT_FAR_TIMES as much as any
 * part does, and at least by a factor of LIMIT_FAR_FACTOR. Distances are ratios (logarithms), as
 * levels of rates and times are: a rate that was seen within a factor of 1.5 is not expected to
 * be 80 times lower.
 *
 * The margin: with a memory of d = .45 the standard error of the mean is 1.9 times the standard
 * deviation of the parts about it (1.2 times with d = .4). The distance of the furthest part is
 * 1.5 to 2 times that deviation, so 5 times this distance is at least 4 standard errors. Returns
 * false if a value is not above 0, and if there are no parts (NaN).
 */
#define LIMIT_FAR_TIMES    5
#define LIMIT_FAR_FACTOR   2
#define LIMIT_FAR_READINGS 100 /* with fewer readings the limit has to be further away */
bool limit_is_far(double value, double part_low, double part_high, double limit);

/* A mean that is not far from its limit is decided only with at least LIMIT_MEAN_ENOUGH independent
   readings, the number that a session of the preset `normal` needs: if the process has two levels,
   a short session may have seen only one of them. Of a series with fewer readings, at least
   LIMIT_MEAN_INDEPENDENT must be independent, and a share LIMIT_MEAN_SHARE of all. */
#define LIMIT_MEAN_ENOUGH      50
#define LIMIT_MEAN_SHARE       0.8
#define LIMIT_MEAN_INDEPENDENT 15

/*
 * Judges a mean. `mean` comes with the interval that would be reported (stop_widened). Under long
 * memory a series of any length contains few independent readings. In that case the evidence counts
 * the degrees of freedom of the interval instead. A limit that is far is decided at once.
 */
struct limit_verdict limit_verdict_of_mean(const struct estimate *mean, const struct limit *limit);

/* Returns the longest average time between two appearances of a level that a run of `length` almost
   certainly shows: a level that comes on average once in this time, or in this number of readings,
   is seen in 95 of 100 such runs. The result is length / 3, because exp(-3) is 0.05. */
#define LIMIT_UNSEEN_LENGTHS 3
double limit_verdict_unseen(double length);

/* Judges a share of `effective_n` independent trials. */
struct limit_verdict limit_verdict_of_share(double share, double effective_n,
                                            const struct limit *limit);

/*
 * Judges a percentile. `most` counts every value that may lie above the limit, `least` the values
 * that certainly do. They differ where only the bucket of a value is known: the bucket that holds
 * the limit counts against a pass, and against a failure as well. `below`: true if the percentile
 * itself lies below the limit.
 *
 * Few values lie above a limit that is kept easily, so little is known about their clusters. But
 * a percentile below a smaller threshold also lies below the limit. Therefore most[1..thresholds)
 * belong to smaller thresholds, and least[1..thresholds) to larger ones. The weighted mean of the
 * evidence at all of them, which is evidence of the same kind, decides. There are up to
 * LIMIT_THRESHOLDS; the limit itself comes first.
 *
 * A level that moves over time makes the tail move more than a short run shows. `wide`, or NULL,
 * contains the exceedances of two thresholds that many values exceed: one that is exceeded by
 * LIMIT_WIDER times as many values as the percentile, and the median. The evidence assumes that
 * the tail moves as these shares do, with LIMIT_..._TIMES their relative variance, and it
 * requires LIMIT_..._STRETCHES independent time slices. A short run on the slower of two levels
 * shows nothing about the faster one. So a verdict that a percentile lies above a limit assumes a
 * larger variance and requires more time slices, unless LIMIT_WIDER times as many values as the
 * limit allows lie above it, or half of all values do.
 */
#define LIMIT_THRESHOLDS       3
#define LIMIT_WIDE             2
#define LIMIT_WIDER            10
#define LIMIT_KEPT_TIMES       2.5
#define LIMIT_KEPT_STRETCHES   20
#define LIMIT_BROKEN_TIMES     4
#define LIMIT_BROKEN_STRETCHES 50
struct limit_verdict limit_verdict_of_percentile(const struct exceedance most[],
                                                 const struct exceedance least[], size_t thresholds,
                                                 const struct exceedance wide[LIMIT_WIDE],
                                                 double share, bool below, size_t stretches,
                                                 const struct limit *limit);

#endif
