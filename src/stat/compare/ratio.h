/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ratio of two means with its interval, and whether it is 1. Pure, any thread.
 *
 * Two ways to judge:
 *   once  The number of readings was fixed beforehand, and the caller judges only once. Welch's
 *         test, t = (mA - mB) / sqrt(vA + vB) with the degrees of freedom of Welch and
 *         Satterthwaite; vA and vB are the variances of the two means, whose readings may be
 *         autocorrelated (mean_variance.h); for independent readings such a variance is s^2 / n.
 *         The interval is Fieller's: every ratio r at which t of mA - r mB stays below its limit.
 *         For paired readings the interval is every ratio r that the test of difference.h for
 *         a single judgement does not refute. With `independent` both are R's t.test.
 *   any   The caller may judge any number of times and stop at any time. The interval is every
 *         ratio r at which the evidence that A - r B is not 0 stays below 1/alpha (difference.h).
 *         Readings that were not measured in pairs are paired in their order, after neighbours in
 *         the longer series were merged; the interval then contains that of `once`.
 *
 * A ratio of means exists where both are above 0. An interval without an upper end reaches to
 * infinity, and one without a lower end to 0.
 */
#ifndef CUPEL_STAT_COMPARE_RATIO_H
#define CUPEL_STAT_COMPARE_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct ratio_config {
    double confidence; /* confidence level of the interval, such as 0.95 */
    /* true: the caller judges once, after a fixed number of readings; false: it may judge any
       number of times */
    bool once;
    /* reading i of both series was measured in the same block; both have the same length */
    bool paired;
    /* the caller knows that readings are independent of each other: the variance of a mean is s^2 /
       n, and pairs are judged by Student's t test */
    bool independent;
};

struct ratio {
    double value;     /* first mean over second; NaN: one of them is not above 0 */
    double low, high; /* the interval */
    /* p-value of Welch's test, or of the paired t test, valid if the caller judges once; NaN: too
       few readings */
    double p_value;
    double evidence; /* natural logarithm of the evidence, valid however often it is evaluated */
    /* p-value that is valid however often it is evaluated: min(1, 1 / evidence) */
    double p_any;
    double t, degrees; /* Student's t and its degrees of freedom, for judging once */
    /* the result is undecided, although as many independent readings would decide it: the levels of
       both series vary over time by as much as they differ */
    bool wanders;
    /* factor by which the number of readings must grow, as expected; 1: decided; infinite:
       unknown */
    double more_readings;
};

/* Returns true if both ends of the interval are finite and above 0, so that the inverse is bounded
   as well. */
bool ratio_is_bounded(const struct ratio *r);

/* A mean whose readings are not available: from an old report, or published with an interval. */
struct mean_summary {
    double mean, variance; /* variance of the mean, not of single readings */
    double degrees;        /* degrees of freedom of that variance */
    double n;              /* number of independent readings that have this variance of the mean */
};

struct mean_summary mean_summary_of_spread(double mean, double sd, double n);
/* Recovers the mean and its variance from an interval with this confidence. The distances from the
   mean to the two ends are averaged on a logarithmic axis. */
struct mean_summary mean_summary_of_interval(double mean, double low, double high,
                                             double confidence, double effective_n);
struct mean_summary mean_summary_of_series(const double x[], size_t n,
                                           const struct ratio_config *config,
                                           struct arena *scratch);

/* The largest number of readings that are judged one by one; in a longer series, neighbours are
   merged. */
#define RATIO_READINGS_MAX 4096

size_t ratio_scratch_bytes(size_t na, size_t nb);

struct ratio ratio_of_series(const double a[], size_t na, const double b[], size_t nb,
                             const struct ratio_config *config, struct arena *scratch);

struct ratio ratio_of_summaries(const struct mean_summary *a, const struct mean_summary *b,
                                const struct ratio_config *config);

/* Result of comparing a ratio with an equivalence margin: with 0.01, ratios of 0.99 to 1.01 are the
   same. */
enum ratio_verdict { RATIO_UNDECIDED, RATIO_ABOVE, RATIO_BELOW, RATIO_SAME };

/*
 * Judges the ratio's interval. RATIO_SAME: the whole interval lies within the margin; this is
 * checked first. A difference that is merely not significant never counts as the same.
 */
enum ratio_verdict ratio_judge(const struct ratio *r, double margin);

#endif
