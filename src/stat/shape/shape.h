/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a small sample says of the shape of its distribution: how well its standard deviation is
 * known, whether it is normal, whether it has one mode. Pure, any thread.
 */
#ifndef CUPEL_STAT_SHAPE_SHAPE_H
#define CUPEL_STAT_SHAPE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#define DEVIATION_MIN 5 /* values that an interval of the SD needs */

/* A standard deviation with its interval; low and high are NaN where there is none. */
struct deviation {
    double sd;
    double low, high;
};

/*
 * The SD of x[0..n) and its interval by Bonett (Computational Statistics and Data Analysis 50,
 * 2006, 775): it widens with the kurtosis, where the chi-squared interval holds for normal data
 * only. NaN for fewer than 2 values; no interval for fewer than DEVIATION_MIN, or where all are
 * equal.
 */
struct deviation deviation_of(const double x[], size_t n, double confidence);

#define NORMALITY_MIN 3
#define NORMALITY_MAX 5000

/* Shapiro and Wilk's W and the p-value of normal data, by Royston (1995), as R's shapiro.test. NaN
   for fewer or more values than above, or where all are equal. Sorts x; `room` is for n values. */
struct normality {
    double w, p;
};
struct normality normality_of(double x[], size_t n, double room[]);

#define MODES_MIN 10

/*
 * The p-value of one mode, by Silverman (Journal of the Royal Statistical Society B 43, 1981, 97):
 * how often smoothed samples of the data have more than one mode at the bandwidth that leaves the
 * data just one. From 0.005 on. It errs on the side of one mode: of normal samples of 20 and 40
 * values 1 % fall below 0.1, of two normals 5 SDs apart 67 and 98 %. NaN for fewer than MODES_MIN
 * values, or where all are equal. The same for the same data. Sorts x; `room` is for 2 n values.
 */
double one_mode_p(double x[], size_t n, double room[]);

#endif
