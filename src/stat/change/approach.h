/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds how much of a gradual approach to a level still lies ahead, in a series of readings.
 *
 *   x[t] = level + amplitude exp(-t / time) + noise
 *
 * is fitted by least squares to the readings from the first one on, for each time constant of a
 * grid. Time constants whose likelihood is within chance of the best one are not ruled out.
 * Change points cut such a warm-up into steps, and the part of the approach that falls into the
 * last step shifts the mean of that step. The fit uses the whole warm-up for the time constant,
 * so it estimates this part precisely.
 *
 * The approach counts if its amplitude is beyond chance (Student's t with the long-run variance
 * of the deviations, mean_variance.h) and if it fits better than the steps do. Pure; any thread
 * may call it.
 */
#ifndef CUPEL_STAT_CHANGE_APPROACH_H
#define CUPEL_STAT_CHANGE_APPROACH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define APPROACH_TIMES 25

struct approach {
    bool found;
    size_t count; /* number of fits that the readings do not rule out; 0: no approach was found */
    /* distance from the level at the first reading: below 0 for a level that rises */
    double amplitude[APPROACH_TIMES];
    double time[APPROACH_TIMES]; /* number of readings in which the distance falls to 1/e */
};

size_t approach_scratch_bytes(size_t n);

/* Fits an approach to x[0..n). cuts[0..cut_count) are its change points, in ascending order. */
struct approach approach_of(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                            struct arena *scratch);

/* Returns by how much a gradual approach to the level shifts the mean of the readings begin..end:
   the largest shift in all fits of `a`, which are those that the readings do not rule out. */
double approach_shift(const struct approach *a, size_t begin, size_t end);

#endif
