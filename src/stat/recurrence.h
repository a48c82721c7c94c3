/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Levels that come and go: a drive that collects garbage every few seconds, a cache that hits or
 * misses for a while, switches between levels for ever. Cut at each switch such a series would have
 * no steady state, and yet it is stationary on a longer scale.
 */
#ifndef CUPEL_STAT_RECURRENCE_H
#define CUPEL_STAT_RECURRENCE_H

#include <stddef.h>

#include "base/arena.h"

size_t recurrence_scratch_bytes(size_t n);

/*
 * Do the levels between the cuts recur? If they turn back up or down at least three times, and
 * neighbouring levels differ as much as any two do (von Neumann's ratio of the squared differences
 * to the squared deviations; it is small for a drift and for a random walk, 2 for independent
 * levels, 4 for two that alternate), the result is the long-run standard deviation of x[0..n) on
 * the scale of the switching: the root of b/2 times the mean squared difference of neighbouring
 * means of b readings, the larger over b = one turn and two turns. Otherwise 0.
 */
double recurrence_noise_level(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                              struct arena *scratch);

#endif
