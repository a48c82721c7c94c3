/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mean with its interval, from readings that may be autocorrelated.
 *
 * Pure: arrays in, struct out, any thread. Two methods:
 *
 *   INTERVAL_SPECTRAL (default)  mean +- t sqrt(variance of the mean); an autoregressive model
 *       gives the variance (mean_variance.h). When the skewness g of the mean
 *       (skewness_third_moment) is beyond .1, the interval reaches further on the side of the
 *       longer tail, by (|g| - .1) (2 t^2 + 1) / 6 standard errors, because a short series tends
 *       to hold too few of the stalls that come in clusters. For the same reason t has at most
 *       (m - 1) / (1 + h / 2) degrees of freedom, with h the excess kurtosis of sums of n^(1/3)
 *       readings and m the number of sums (h at least 0). Neither applies to fewer than 30
 *       readings. The measured coverage is in tests/unit/test_coverage.c.
 *
 *   INTERVAL_PILOT  subsession analysis as in Pilot (Li et al., Pilot (2016), III-D): the
 *       first subsession size whose lag-1 autocorrelation is within the limit. Its intervals are
 *       too narrow; it is here for comparison.
 */
#ifndef CUPEL_STAT_ESTIMATE_ESTIMATE_H
#define CUPEL_STAT_ESTIMATE_ESTIMATE_H

#include <stddef.h>

#include "base/arena.h"

enum interval_method { INTERVAL_SPECTRAL, INTERVAL_PILOT };

#define ESTIMATE_PARTS 10

struct estimate_config {
    enum interval_method method;
    double confidence; /* such as 0.95 */
    /* largest |lag-1 autocorrelation| of subsession means, such as 0.1 */
    double autocorrelation_limit;
};

struct estimate {
    double mean;
    /* the confidence interval; -inf and +inf if `n` is too small for an interval */
    double low, high;
    double confidence;
    double sd;              /* `sd`: standard deviation of single readings, divisor n - 1 */
    double autocorrelation; /* autocorrelation at lag 1 of the readings before they are merged */
    size_t n;               /* number of readings */
    /* number of independent readings whose mean would have the same uncertainty; 3 to n */
    double effective_n;
    /* parameter d of the long memory that the interval allows for, 0 to 1/2; 0: it allows for none.
       The interval narrows as n^(d - 1/2) */
    double memory;
    /* factor, at least 1, by which the interval would be wider if it also allowed for long memory
       that the readings neither show nor exclude; the decision to stop uses the wider interval */
    double doubt;
    double degrees; /* degrees of freedom of the interval; NaN: not known */
    /* The range over which the mean moved: the series is divided into ESTIMATE_PARTS parts of equal
       length, and these are the lowest and the highest mean of a part. NaN: there are fewer
       readings than parts. */
    double part_low, part_high;
    /* Prediction interval of the mean of the next n readings, at the same confidence; -inf and +inf
       where it does not exist. */
    double next_low, next_high;
    /* Number of readings that are merged into one mean: the smallest number at which the means of
       this size and those of twice this size both keep the autocorrelation limit. If there is none:
       the smallest number at which the means of this size alone keep it; if there is none either:
       n. */
    size_t subsession_size;
    size_t subsessions; /* number of subsessions, h = n / subsession_size */
};

/* Scratch bytes that estimate_mean and estimate_ratio need for n readings. */
size_t estimate_scratch_bytes(size_t n);

/* Estimates the mean of x[0..n). n = 0 gives a NaN mean. It never fails: fewer than 2 readings give
   an infinite interval. */
struct estimate estimate_mean(const double x[], size_t n, const struct estimate_config *config,
                              struct arena *scratch);

/*
 * Estimates a ratio of sums, sum(numerator) / sum(denominator), such as total latency over I/O
 * count per time slice. The interval, sd and autocorrelation come from the residuals numerator -
 * ratio * denominator (delta method), in the unit of the ratio. Both series have length n.
 */
struct estimate estimate_ratio(const double numerator[], const double denominator[], size_t n,
                               const struct estimate_config *config, struct arena *scratch);

/* Sets part_low and part_high from n readings, which may be more than the mean was computed from.
   If `denominator` is NULL, all denominators are 1. Parts that have no value are left out. */
void estimate_take_parts(struct estimate *e, const double numerator[], const double denominator[],
                         size_t n);

#endif
