/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much readings scatter when nothing changes: the long-run noise level of a series that may hold
 * outliers, autocorrelation and a few changes of its mean.
 */
#ifndef CUPEL_STAT_NOISE_H
#define CUPEL_STAT_NOISE_H

#include <stddef.h>

#include "base/arena.h"

size_t noise_scratch_bytes(size_t n);

/*
 * Hampel's filter: readings further than 5 MAD from the running median of 15 are replaced by it.
 * When the MAD is 0 (more than half of the readings equal their running median), readings that
 * differ are outliers only if they are rare. x and out do not overlap.
 */
void noise_clean(const double x[], size_t n, double out[], struct arena *scratch);

/*
 * Long-run standard deviation of x[0..n), already cleaned: the root of n times the variance of a mean.
 *   v_k    mean of the squared differences x[i+k] - x[i], each at most (6 MAD)^2
 *   rho    v_2 / v_1 - 1, clipped to [0, .99]: the autocorrelation of an AR(1) series
 *   s^2 =  v_1 / (2 (1 - rho)) (1 + rho) / (1 - rho)
 * The limit on the differences takes the changes of level out of v_k. Changes of level are rare; when
 * large differences are frequent they belong to the noise, and no limit is set.
 * 0 when x is constant but for rare jumps.
 */
double noise_level(const double x[], size_t n, struct arena *scratch);

#endif
