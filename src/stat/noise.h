/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much readings scatter when nothing changes: the noise level of a series that may hold
 * outliers, autocorrelation and a few changes of its mean.
 */
#ifndef CUPEL_STAT_NOISE_H
#define CUPEL_STAT_NOISE_H

#include <stddef.h>

#include "base/arena.h"

size_t noise_scratch_bytes(size_t n);

/*
 * Hampel's filter: readings further than 5 MAD from the running median of 15 are brought to that
 * distance. At most `largest_share` of the readings are taken for outliers (the limit rises until
 * they are no more): what is more frequent is a part of the distribution, such as the second level
 * of a bimodal one, and brought in it would look like a change of the mean. x and out do not
 * overlap.
 */
void noise_clean(const double x[], size_t n, double largest_share, double out[],
                 struct arena *scratch);

/*
 * Long-run standard deviation of x[0..n), already cleaned: the root of n times the variance of a
 * mean. v_k    mean of the squared differences x[i+k] - x[i], without those that span a jump rho
 * v_2 / v_1 - 1, clipped to [0, .99]: the autocorrelation of an AR(1) series s^2 =  v_1 / (2 (1 -
 * rho)) (1 + rho) / (1 - rho) A jump is a difference of neighbours above 6 MAD: a change of level.
 * Those are rare; when more than one reading in 30 jumps, jumps belong to the noise and are left
 * in. 0 when x is constant but for rare jumps.
 */
double noise_level(const double x[], size_t n, struct arena *scratch);

/* The same for a series taken to be without autocorrelation: sqrt(v_1 / 2). */
double noise_level_independent(const double x[], size_t n, struct arena *scratch);

#endif
