/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of a small sample's distribution: how well its standard deviation is known, whether it
 * is normal, whether it has one mode. Pure, any thread.
 */
#ifndef CUPEL_STAT_SHAPE_SHAPE_H
#define CUPEL_STAT_SHAPE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#define DEVIATION_MIN 5 /* minimum number of values for an interval of the standard deviation */

/* A standard deviation with its interval; low and high are NaN when there is no interval. */
struct deviation {
    double sd;
    double low, high;
};

/*
 * Returns the standard deviation of x[0..n) and its interval by Bonett (Computational Statistics
 * and Data Analysis 50, 2006, 775). That interval widens with the kurtosis, whereas the chi-squared
 * interval is valid for normal data only. The standard deviation is NaN for fewer than 2 values.
 * There is no interval for fewer than DEVIATION_MIN values, or if all values are equal.
 */
struct deviation deviation_of(const double x[], size_t n, double confidence);

#define NORMALITY_MIN 3
#define NORMALITY_MAX 5000

/* Shapiro and Wilk's W and its p-value for normal data, by Royston (1995), as in R's shapiro.test.
   NaN when n is outside the limits above, or all values are equal. The test sorts x; `room` has
   space for n values. */
struct normality {
    double w, p;
};
struct normality normality_of(double x[], size_t n, double room[]);

#define MODES_MIN 10

/*
 * Returns the p-value of the hypothesis that the distribution has one mode, by Silverman's test
 * (Journal of the Royal Statistical Society B 43, 1981, 97): how often smoothed samples of the data
 * have more than one mode at the bandwidth that leaves the data just one. It is at least 0.005. It
 * errs on the side of one mode: of normal samples of 20 and 40 values 1 % fall below 0.1, of
 * samples from two normal distributions whose means are 5 standard deviations apart, 67 % and 98 %
 * do. NaN for fewer than MODES_MIN values, or when all values are equal. The same data always give
 * the same result. Sorts x; `room` has space for 2 n values.
 */
double one_mode_p(double x[], size_t n, double room[]);

#endif
