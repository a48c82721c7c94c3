/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pearson's correlation coefficient (stat/basic/distance.h) with Fisher's interval: atanh(r) is
 * nearly normal with standard deviation 1 / sqrt(n - 3). He, Sun, Yin, BPS (2013), III judge
 * metrics of I/O systems by their correlation with execution time. Pure, any thread.
 */
#ifndef CUPEL_STAT_COMPARE_CORRELATION_H
#define CUPEL_STAT_COMPARE_CORRELATION_H

#include <stddef.h>

#define CORRELATION_MIN_POINTS 4

struct correlation {
    double value;     /* NaN: fewer than 2 points, or one of the two quantities is constant */
    double low, high; /* -1 and 1 for fewer than CORRELATION_MIN_POINTS points */
};

struct correlation correlation_interval_of(const double x[], const double y[], size_t n,
                                           double confidence);

#endif
