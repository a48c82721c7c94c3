/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mean with its interval, from readings that may be autocorrelated.
 *
 * Pure: arrays in, struct out, any thread. Two methods:
 *
 *   INTERVAL_SPECTRAL (default)  mean +- t sqrt(s0 / n), where s0 is the spectral density at zero
 * of an autoregressive fit (Burg; order by Akaike's criterion, at most 20, 10 log10 n and n / 10),
 *       s0 = v / (1 - r)^2 with v the variance of its noise and r the sum of its coefficients,
 * raised by their bias (1 + 3r) sqrt(order) / n; t has n var / s0 - 1 degrees of freedom. The same
 * is done for means of batches of n^(1/3) readings (order at most 4), which sees slow movement
 *       under fast noise, and the wider interval is taken. No series counts for fewer than 3
 *       independent readings, and one that wanders (r within 6 / n of 1) counts for 3. From 8,192
 *       readings on, 4,096 to 8,191 batch means stand for the readings: they have the same mean and
 *       the same variance of the mean, so that the cost stays O(n).
 *       Negative autocorrelation makes the interval narrower than that of independent readings.
 *       The measured coverage is in tests/unit/test_coverage.c.
 *
 *   INTERVAL_PILOT  subsession analysis as Pilot does it (paper 000, III-D): the first subsession
 * size whose lag-1 autocorrelation is within the limit. Its intervals are too narrow; for
 * comparison.
 */
#ifndef CUPEL_STAT_ESTIMATE_H
#define CUPEL_STAT_ESTIMATE_H

#include <stddef.h>

#include "base/arena.h"

enum interval_method { INTERVAL_SPECTRAL, INTERVAL_PILOT };

struct estimate_config {
    enum interval_method method;
    double confidence;            /* 0.95 */
    double autocorrelation_limit; /* largest |lag-1 autocorrelation| of subsession means, 0.1 */
};

struct estimate {
    double mean;
    double low, high; /* the interval; -inf and +inf when `n` is too small for one */
    double confidence;
    double sd;              /* of single readings, divisor n - 1 */
    double autocorrelation; /* lag 1, of the readings as they came */
    size_t n;               /* readings */
    double effective_n;     /* independent readings whose mean is this certain; at most n */
    size_t
        subsession_size; /* readings merged until the limit held for it and for twice it; else n */
    size_t subsessions;  /* h = n / subsession_size */
};

/* Scratch bytes that estimate_mean or estimate_ratio takes for n readings. */
size_t estimate_scratch_bytes(size_t n);

/* x[0..n). n = 0 gives a NaN mean. Never fails: fewer than 3 give an infinite interval. */
struct estimate estimate_mean(const double x[], size_t n, const struct estimate_config *config,
                              struct arena *scratch);

/*
 * A ratio of sums, sum(numerator) / sum(denominator), such as total latency over I/O count per time
 * slice: the interval comes from the residuals numerator - ratio * denominator (delta method), and
 * so do sd and autocorrelation, in the unit of the ratio. The series are of equal length n.
 */
struct estimate estimate_ratio(const double numerator[], const double denominator[], size_t n,
                               const struct estimate_config *config, struct arena *scratch);

#endif
