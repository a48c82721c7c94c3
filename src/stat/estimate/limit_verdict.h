/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a mean or a percentile keeps its limit: sequential.h applied to the results of estimate.h
 * and exceedance.h. It judges the clauses of a session as well as clauses about a column of
 * numbers. Pure, any thread.
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
    double alpha; /* the chance that the verdict is ever wrong */
};

struct limit_verdict {
    enum sequential_verdict verdict;
    /* factor by which the number of readings is expected to have to grow; 1: decided */
    double more;
    const char *lack; /* why nothing can be decided yet, or NULL */
    /* for a mean: the limit is far from everything that was seen (limit_is_far) */
    bool far;
};

/*
 * Returns true if a limit is so far from a value that no protection against drift is needed.
 * `part_low` and `part_high` are the lowest and the highest value of ESTIMATE_PARTS parts of the
 * time. The limit is far when it differs from the value at least LIMIT_FAR_TIMES as much as any
 * part does, and at least by a factor of LIMIT_FAR_FACTOR. Distances are ratios (logarithms), as
 * levels of rates and times are: a rate that was seen within a factor of 1.5 is not expected to be
 * 80 times lower.
 *
 * The margin: with a memory of d = .45 the standard error of the mean is 1.9 times the standard
 * deviation of the parts about it (1.2 times with d = .4). The furthest part exceeds that deviation
 * by a factor of 1.5 to 2, so 5 times its distance are 4 standard errors or more. False for values
 * that are not all above 0, and where there are no parts (NaN).
 */
#define LIMIT_FAR_TIMES    5
#define LIMIT_FAR_FACTOR   2
#define LIMIT_FAR_READINGS 100 /* with fewer readings the limit has to be further away */
bool limit_is_far(double value, double part_low, double part_high, double limit);

/* Unless its limit is far, a mean is not decided before LIMIT_MEAN_ENOUGH independent readings, as
   many as a session of the preset `normal` needs: a run that begins on one of two levels has not
   seen the other. When there are few readings, fewer independent ones are enough, but at least
   LIMIT_MEAN_INDEPENDENT and a share LIMIT_MEAN_SHARE of the readings. */
#define LIMIT_MEAN_ENOUGH      50
#define LIMIT_MEAN_SHARE       0.8
#define LIMIT_MEAN_INDEPENDENT 15

/*
 * Judges a mean. `mean` comes with the interval that would be reported (stop_widened). Under long
 * memory a series of any length holds few independent readings; evidence then counts the degrees of
 * freedom of the interval instead. A limit that is far is decided at once.
 */
struct limit_verdict limit_verdict_of_mean(const struct estimate *mean, const struct limit *limit);

/* Returns how rare a level can be and still be seen: a level that comes on average once in this
   time, or number of readings, is seen in 95 of 100 runs of `length`. It is length / 3, because
   exp(-3) is 0.05. */
#define LIMIT_UNSEEN_LENGTHS 3
double limit_verdict_unseen(double length);

/* Judges a share of `effective_n` independent trials. */
struct limit_verdict limit_verdict_of_share(double share, double effective_n,
                                            const struct limit *limit);

/*
 * Judges a percentile. `most` counts every value that may lie above the limit, `least` the values
 * that certainly do: where only the bucket of a value is known, the bucket that holds the limit
 * counts against a pass, and against a failure as well. `below`: the percentile itself lies below
 * the limit.
 *
 * Few values lie above a limit that is kept easily, so little is known about their clusters. But a
 * percentile below a smaller threshold also lies below the limit: most[1..thresholds) belong to
 * smaller thresholds, least[1..thresholds) to larger ones. The weighted mean of the evidence at all
 * of them, which is evidence of the same kind, decides. There are up to LIMIT_THRESHOLDS; the limit
 * itself comes first.
 *
 * A level that moves over time makes the tail move more than a short run shows. `wide`, or NULL,
 * holds exceedances of thresholds that many values lie above: one that LIMIT_WIDER times as many
 * values exceed as the percentile, and the median. The evidence assumes that the tail moves as
 * these do, with LIMIT_..._TIMES their relative variance, and requires LIMIT_..._STRETCHES
 * independent stretches of time. A run that begins on the slower of two levels has not seen the
 * other. So evidence that a percentile lies above a limit needs more of both, unless LIMIT_WIDER
 * times as many values as the limit allows lie above it, or half of all.
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
