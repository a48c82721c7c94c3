/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a mean or a percentile keeps its limit: sequential.h applied to the results of estimate.h
 * and exceedance.h. Both clauses of a session and clauses about a column of numbers are judged
 * here. Pure, any thread.
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
    bool above;   /* the judged value has to lie above `value`; otherwise below it */
    double alpha; /* the chance that the verdict is ever wrong */
};

struct limit_verdict {
    enum sequential_verdict verdict;
    double more;      /* how many times as many readings are expected to decide; 1: it is decided */
    const char *lack; /* why nothing can be decided yet, or NULL */
    bool far;         /* of a mean: the limit is far from all that was seen (limit_is_far) */
};

/*
 * Is a limit so far from a value that no protection against drift is needed? `part_low` and
 * `part_high` are the lowest and the highest value of ESTIMATE_PARTS parts of the time. The limit
 * is far when it differs from the value by LIMIT_FAR_TIMES as much as any part does, and by a
 * factor of LIMIT_FAR_FACTOR at least. Distances are ratios (logarithms), as levels of rates and
 * times are: a rate that was seen within a factor of 1.5 is not expected to be 80 times lower.
 *
 * The margin: with a memory of d = .45 the standard error of the mean is 1.9 times the standard
 * deviation of the parts about it (1.2 times with d = .4), which their furthest exceeds by a factor
 * of 1.5 to 2; 5 times that distance are then 4 standard errors or more. False for values that are
 * not all above 0, and where there are no parts (NaN).
 */
#define LIMIT_FAR_TIMES    5
#define LIMIT_FAR_FACTOR   2
#define LIMIT_FAR_READINGS 100 /* of fewer the limit has to be further away */
bool limit_is_far(double value, double part_low, double part_high, double limit);

/* A mean is not decided, unless its limit is far, before LIMIT_MEAN_ENOUGH independent readings, as
   many as a session of the preset `normal` needs: a run that begins on one of two levels has not
   seen the other. Of few readings most have to be independent: LIMIT_MEAN_SHARE of them, and
   LIMIT_MEAN_INDEPENDENT. */
#define LIMIT_MEAN_ENOUGH      50
#define LIMIT_MEAN_SHARE       0.8
#define LIMIT_MEAN_INDEPENDENT 15

/*
 * Judges a mean. `mean` comes with the interval that it would be reported with (stop_widened).
 * Under long memory few readings are independent at any length; evidence then counts the degrees of
 * freedom of the interval instead. A limit that is far is decided.
 */
struct limit_verdict limit_verdict_of_mean(const struct estimate *mean, const struct limit *limit);

/* Returns how seldom a level may come and still be seen: one that comes once in this time, or
   number of readings, on average, is seen in 95 of 100 runs of `length`. It is length / 3, because
   exp(-3) is 0.05. */
#define LIMIT_UNSEEN_LENGTHS 3
double limit_verdict_unseen(double length);

/* Judges a share of `effective_n` independent trials. */
struct limit_verdict limit_verdict_of_share(double share, double effective_n,
                                            const struct limit *limit);

/*
 * Judges a percentile. `most` counts every value that may lie above the limit, `least` the values
 * that surely do: where only the bucket of a value is known, the bucket that holds the limit counts
 * against a pass, and against a failure. `below`: the percentile itself lies below the limit.
 *
 * Few values lie above a limit that is kept easily, so little is known about their clusters. But a
 * percentile below a smaller threshold also lies below the limit: most[1..thresholds) belong to
 * smaller thresholds, least[1..thresholds) to larger ones. The weighted mean of the evidence at all
 * of them, which is evidence of the same kind, decides. There are up to LIMIT_THRESHOLDS; the limit
 * itself comes first.
 *
 * A level that wanders makes the tail wander more than a short run shows. `wide`, or NULL, holds
 * exceedances of thresholds that many values lie above (the threshold that LIMIT_WIDER times as
 * many values exceed as the percentile, and the median): evidence assumes that the tail wanders as
 * these do, with LIMIT_..._TIMES their relative variance, and waits for LIMIT_..._STRETCHES
 * independent stretches of time. A run that begins on the slower of two levels has seen no others:
 * evidence that a percentile lies above a limit needs more of both, unless LIMIT_WIDER times as
 * many values as the limit allows lie above it, or half of all.
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
