/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Skewness in the long run. The sum of many readings is skewed by what happens together: a stall of
 * three readings counts as 27 single ones, not as 3. So the third moment is taken of sums of 1, 2,
 * 4 ... neighbouring readings, and the largest counts.
 */
#ifndef CUPEL_STAT_MEAN_SKEWNESS_H
#define CUPEL_STAT_MEAN_SKEWNESS_H

#include <stddef.h>

/*
 * The third moment about `centre` of such sums, per reading: that of the sum of all n is n times
 * it. Sums of up to `most` readings are tried; 1 <= most <= n.
 */
double skewness_third_moment(const double x[], size_t n, double centre, size_t most);

#endif
