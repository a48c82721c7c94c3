/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ratio of two means with its interval, and whether it is 1. Pure, any thread.
 *
 * Two ways to judge:
 *   once  The number of readings was settled beforehand, and this is the only look. Welch's test,
 *         t = (mA - mB) / sqrt(vA + vB) with the degrees of freedom of Welch and Satterthwaite; v
 *         is the variance of a mean of readings that may be autocorrelated (mean_variance.h), which
 *         for independent readings is s^2 / n. The interval is Fieller's: every ratio r at which t
 *         of mA - r mB stays below its limit. Paired readings: every ratio r that the test of one
 *         look of difference.h does not refute. With `independent` both are R's t.test.
 *   any   However often one looks, and whenever one stops: every ratio r at which the evidence that
 *         A - r B is not 0 stays below 1/alpha (difference.h). Readings that were not measured in
 *         pairs are paired in their order, after neighbours in the longer series were merged; their
 * interval holds the interval of one look.
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
    double confidence; /* confidence of the interval, 0.95 */
    bool once;         /* otherwise any number of looks */
    bool paired;       /* reading i of both was measured in the same block; equal numbers */
    bool independent;  /* the readings are known to be independent of each other: s^2 / n, and
                          Student's t of pairs */
};

struct ratio {
    double value;      /* first over second; NaN: a mean is not above 0 */
    double low, high;  /* the interval */
    double p_value;    /* valid for one look: Welch, or paired t; NaN: too few readings */
    double evidence;   /* natural logarithm, for any number of looks */
    double p_any;      /* min(1, 1 / evidence) */
    double t, degrees; /* Student's t and its degrees of freedom, for one look */
    bool wanders;      /* undecided, though independent readings would decide it: the levels of both
                          wander by as much as they differ */
    double more_readings; /* how many times as many are expected to decide; 1: it is decided;
                             infinite: unknown */
};

/* Returns true if the interval has both ends. Where one ratio has, so has its inverse. */
bool ratio_is_bounded(const struct ratio *r);

/* A mean without its readings: from an old report, or one that came with an interval. */
struct mean_summary {
    double mean, variance; /* variance: of the mean */
    double degrees;        /* degrees of freedom of that variance */
    double n;              /* number of independent readings in the mean */
};

struct mean_summary mean_summary_of_spread(double mean, double sd, double n);
/* Recovers mean and variance from an interval of that confidence; both arms are averaged, as on a
   logarithmic axis. */
struct mean_summary mean_summary_of_interval(double mean, double low, double high,
                                             double confidence, double effective_n);
struct mean_summary mean_summary_of_series(const double x[], size_t n,
                                           const struct ratio_config *config,
                                           struct arena *scratch);

/* The longest series that is judged without merging; in a longer one neighbours are merged. */
#define RATIO_READINGS_MAX 4096

size_t ratio_scratch_bytes(size_t na, size_t nb);

struct ratio ratio_of_series(const double a[], size_t na, const double b[], size_t nb,
                             const struct ratio_config *config, struct arena *scratch);

struct ratio ratio_of_summaries(const struct mean_summary *a, const struct mean_summary *b,
                                const struct ratio_config *config);

/* A ratio against an equivalence margin: 0.01 takes 0.99 to 1.01 for the same. */
enum ratio_verdict { RATIO_UNDECIDED, RATIO_ABOVE, RATIO_BELOW, RATIO_SAME };

/*
 * RATIO_SAME: the whole interval lies within the margin; this is checked first. A difference that
 * is merely not significant never counts as the same.
 */
enum ratio_verdict ratio_judge(const struct ratio *r, double margin);

#endif
