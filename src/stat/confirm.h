/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of the proposed cuts are worth keeping when the noise may be autocorrelated?
 *
 * Each cut is tried on the two segments it divides. An autoregressive model is fitted about one mean
 * and about two, and the cut's worth is the rise of twice the log likelihood, n ln(var_1 / var_2),
 * each side charged for its order. Because each side fits its own autocorrelation, a slow wander of
 * the noise is explained without a cut, and a real step, which no autoregression follows, is not
 * (cf. Davis, Lee, Rodriguez-Yam, JASA 101, 2006). The worth is lowered where the skewness of the
 * readings alone makes such a difference of means likely: w / (1 + g sqrt(w) / 3), g the skewness of
 * the difference (second term of the large deviation expansion of a mean).
 * The weakest cut below `least_worth` goes first; then its neighbours are judged again.
 */
#ifndef CUPEL_STAT_CONFIRM_H
#define CUPEL_STAT_CONFIRM_H

#include <stddef.h>

#include "base/arena.h"

size_t confirm_scratch_bytes(size_t cut_count);

/* Drops cuts of x[0..n) from `cuts` and returns how many are left. */
size_t confirm_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count,
                    double least_worth, struct arena *scratch);

#endif
