/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a small sample says of the shape of its distribution: how well its standard deviation is
 * known. Pure, any thread.
 */
#ifndef CUPEL_STAT_SHAPE_SHAPE_H
#define CUPEL_STAT_SHAPE_SHAPE_H

#include <stddef.h>

#define DEVIATION_LEAST 5 /* values that an interval of the SD needs */

/* A standard deviation with its interval; low and high are NaN where there is none. */
struct deviation {
    double sd;
    double low, high;
};

/*
 * The SD of x[0..n) and its interval by Bonett (Computational Statistics and Data Analysis 50,
 * 2006, 775): it widens with the kurtosis, where the chi-squared interval holds for normal data
 * only. NaN for fewer than 2 values; no interval for fewer than DEVIATION_LEAST, or where all are
 * equal.
 */
struct deviation deviation_of(const double x[], size_t n, double confidence);

#endif
