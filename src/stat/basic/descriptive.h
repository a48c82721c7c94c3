/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plain description of a series: means, spread, quantiles, autocorrelation.
 *
 * Pure functions of x[0..n), any thread. Sums are made in two passes (the mean first, then the
 * deviations from it), so that they stay accurate for values far from zero. All return NaN where
 * the quantity does not exist.
 */
#ifndef CUPEL_STAT_BASIC_DESCRIPTIVE_H
#define CUPEL_STAT_BASIC_DESCRIPTIVE_H

#include <stddef.h>

/*
 * Returns the power of two by which x[0..n) must be multiplied so that squares and sums neither
 * overflow nor underflow: 1 unless readings are near the ends of the range of a double. Afterwards
 * the caller divides results that are in the unit of the readings by this factor.
 */
double safe_scale_of(const double x[], size_t n);

/* Arithmetic mean; NaN for n = 0. */
double mean_of(const double x[], size_t n);

/* Harmonic mean n / sum(1/x): the mean of rates over equal work. NaN for n = 0 or any x <= 0. */
double harmonic_mean_of(const double x[], size_t n);

/* Returns the sum of squared deviations from `mean`, corrected for an inexact mean. */
double sum_of_squares(const double x[], size_t n, double mean);

/* Variance with divisor n - 1, and its root; NaN for n < 2. */
double variance_of(const double x[], size_t n, double mean);
double standard_deviation_of(const double x[], size_t n, double mean);

/*
 * Autocorrelation at `lag` with divisor n (the biased form, what R's acf gives). 0 for a constant
 * series and for lag >= n.
 */
double autocorrelation_of(const double x[], size_t n, double mean, size_t lag);

/*
 * Returns the value of rank k (0-based) by selection, in O(n) expected time. Reorders x so that
 * everything before index k is <= x[k] and everything after it is >= x[k]. Needs k < n.
 */
double select_rank(double x[], size_t n, size_t k);

/*
 * Returns the quantile p in [0, 1], interpolated between order statistics (R's type 7). Reorders x.
 * NaN for n = 0.
 */
double quantile_of(double x[], size_t n, double p);
double median_of(double x[], size_t n);

/* Returns the sum of a[i] * b[i], added in the order of the indices. */
static inline double sum_of_products(const double a[], const double b[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Returns the index of the smallest of x[0..n), the first if several are equal; 0 when n is 0. */
size_t index_of_min(const double x[], size_t n);

#endif
