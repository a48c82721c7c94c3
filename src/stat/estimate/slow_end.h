/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests whether the level of a series still moves, or moves more slowly than the series is long.
 *
 * Two tests of readings that should have one level, and whose mean has the estimate `e`:
 *
 *   - the mean square of their partial sums about the mean, over its expectation according to the
 *     estimate. This is the best test against a level that follows a random walk (J. Nyblom,
 *     *Testing for the constancy of parameters over time*, 1989; D. Kwiatkowski et al., 1992), and
 *     also finds a trend;
 *   - the mean power of the SLOW_END_LOWEST lowest frequencies of the periodogram over that of the
 *     next SLOW_END_BESIDE frequencies. Once the series is many times as long as its slowest
 *     movement, the spectrum is flat at these frequencies, and the ratio has Fisher's F
 *     distribution. While the power still rises towards lower frequencies, the variance of the mean
 *     is not known yet: later movements may be larger.
 *
 * Under long memory the spectrum rises without end, and partial sums grow further. Both tests
 * allow for the memory that the estimate states. Pure, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_SLOW_END_H
#define CUPEL_STAT_ESTIMATE_SLOW_END_H

#include <stdbool.h>

#include "stat/estimate/estimate.h"

/* In fewer readings, slow movement cannot be found. */
#define SLOW_END_MIN_READINGS 60
#define SLOW_END_LOWEST       4
#define SLOW_END_BESIDE       12
/* Probability that each test finds a movement in a series that has none. */
#define SLOW_END_ERROR 0.05

/* Returns true if either test finds a movement. x[0..e->n) are the readings of the estimate. */
bool slow_end_moves(const double x[], const struct estimate *e);

#endif
