/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of the proposed cuts are worth keeping when the noise may be autocorrelated and skewed?
 *
 * Each cut is tried on the two segments it divides. Its worth, which compares with a chi-squared
 * value, is the larger of two measures:
 *
 *   likelihood  an autoregressive model is fitted about one mean and about two; n ln(var_1 /
 * var_2), each side charged for its order. Because each fits its own autocorrelation, a slow wander
 * of the noise is explained without a cut, and a real step is not (cf. Davis, Lee, Rodriguez-Yam,
 * JASA 101, 2006). step        the squared difference of the means over its variance, from the fit
 * about two means, with the persistence at an upper limit: corrected for its bias (twice (1+3r)/n)
 * and two standard errors up. It keeps the stairs of a drift, which an autoregression of one mean
 * would follow. The persistence is no higher than in the longest segment, if that holds a third of
 * the readings: that is what the noise of this series is like.
 *
 * The worth w becomes w / (1 + g sqrt(w) / 3) when the skewness g of the difference of the means
 * makes a difference of this sign likely (first correction of the large deviations of a mean). The
 * weakest cut below `least_worth` goes first, then its neighbours are judged again.
 */
#ifndef CUPEL_STAT_CONFIRM_H
#define CUPEL_STAT_CONFIRM_H

#include <stddef.h>

#include "base/arena.h"

size_t confirm_scratch_bytes(size_t cut_count);

/* Drops cuts of x[0..n) from `cuts` and returns how many are left. */
size_t confirm_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count, double least_worth,
                    struct arena *scratch);

#endif
