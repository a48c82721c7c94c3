/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests whether a sample comes from a distribution, by Kolmogorov's and Pearson's tests. The random
 * numbers of a test are always the same, so it always passes or always fails; the limits are those
 * of one error in ten thousand samples.
 */
#ifndef TESTS_UNIT_GOODNESS_H
#define TESTS_UNIT_GOODNESS_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static inline int goodness_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns Kolmogorov's distance times sqrt(n); sorts the values. */
static inline double kolmogorov(double values[], size_t n, double (*cdf)(double))
{
    double distance = 0;
    qsort(values, n, sizeof *values, goodness_compare);
    for (size_t i = 0; i < n; i++) {
        double f = cdf(values[i]);
        distance = fmax(distance, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    return distance * sqrt((double)n);
}

/* The 1 - 1e-4 quantile of Kolmogorov's distribution. */
#define KOLMOGOROV_LIMIT 2.23

/* Returns Pearson's statistic as a standard normal value (Wilson and Hilferty); it exceeds 3.7 once
   in ten thousand samples. */
static inline double pearson(const double observed[], const double expected[], size_t cells)
{
    double sum = 0, freedom = (double)cells - 1;
    for (size_t i = 0; i < cells; i++) {
        sum += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
    }
    return (cbrt(sum / freedom) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom));
}

#define PEARSON_LIMIT 3.7

#endif
