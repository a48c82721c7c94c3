/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mean with its interval, from readings that may be autocorrelated.
 *
 * Pure: arrays in, struct out, any thread. Two methods:
 *
 *   INTERVAL_SPECTRAL (default)  mean +- t sqrt(variance of the mean); an autoregressive model
 *       gives the variance (mean_variance.h). On the side of the longer tail it reaches further by
 *       (|g| - .1) (2 t^2 + 1) / 6 standard errors, when the skewness g of the mean
 * (skewness_third_moment) is beyond .1, because a short series tends to hold too few of the stalls
 * that come in clusters. For the same reason t has at most (m - 1) / (1 + h / 2), with h the excess
 * kurtosis of sums of n^(1/3) readings and m the number of sums (h at least 0). Fewer than 30
 * readings get neither. The measured coverage is in tests/unit/test_coverage.c.
 *
 *   INTERVAL_PILOT  subsession analysis as Pilot does it (Li et al., Pilot (2016), III-D): the
 *       first subsession size whose lag-1 autocorrelation is within the limit. Its intervals are
 * too narrow; for comparison.
 */
#ifndef CUPEL_STAT_ESTIMATE_ESTIMATE_H
#define CUPEL_STAT_ESTIMATE_ESTIMATE_H

#include <stddef.h>

#include "base/arena.h"

enum interval_method { INTERVAL_SPECTRAL, INTERVAL_PILOT };

#define ESTIMATE_PARTS 10

struct estimate_config {
    enum interval_method method;
    double confidence;            /* 0.95 */
    double autocorrelation_limit; /* largest |lag-1 autocorrelation| of subsession means, 0.1 */
};

struct estimate {
    double mean;
    double low, high; /* the interval; -inf and +inf when `n` is too small for one */
    double confidence;
    double sd;              /* sd: of single readings, divisor n - 1 */
    double autocorrelation; /* lag 1, of the unmerged readings */
    size_t n;               /* number of readings */
    double effective_n;     /* number of independent readings whose mean is as certain as this one;
                               3 to n */
    double memory; /* d of the long memory that the interval allows for, 0 to 1/2; 0: there is none.
                      The interval narrows as n^(d - 1/2) */
    double doubt;  /* factor, at least 1, by which the interval would be wider if it allowed for all
                      memory that is plausible: a stop is decided with it */
    double degrees; /* degrees of freedom of the interval; NaN: not known */
    /* How far the mean was seen to wander: the lowest and the highest mean of ESTIMATE_PARTS parts
       of equal length; NaN: there are fewer readings than parts. */
    double part_low, part_high;
    /* Prediction interval of the mean of the next n readings, at the same confidence; -inf and +inf
       where there is no interval. */
    double next_low, next_high;
    /* Readings merged into one mean: the size at which both these means and those of twice the size
       keep the limit; else the size at which these means alone do; else n. */
    size_t subsession_size;
    size_t subsessions; /* h = n / subsession_size */
};

/* Scratch bytes that estimate_mean or estimate_ratio takes for n readings. */
size_t estimate_scratch_bytes(size_t n);

/* Mean of x[0..n) with its interval. n = 0 gives a NaN mean. Never fails: fewer than 2 readings
   give an infinite interval. */
struct estimate estimate_mean(const double x[], size_t n, const struct estimate_config *config,
                              struct arena *scratch);

/*
 * A ratio of sums, sum(numerator) / sum(denominator), such as total latency over I/O count per time
 * slice: the interval comes from the residuals numerator - ratio * denominator (delta method), and
 * so do sd and autocorrelation, in the unit of the ratio. The series are of equal length n.
 */
struct estimate estimate_ratio(const double numerator[], const double denominator[], size_t n,
                               const struct estimate_config *config, struct arena *scratch);

/* Sets part_low and part_high from n readings, which may be more than those of the mean. A
   denominator of NULL stands for ones. Parts without a value are left out. */
void estimate_take_parts(struct estimate *e, const double numerator[], const double denominator[],
                         size_t n);

#endif
