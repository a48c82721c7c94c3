/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A level that is approached bit by bit: how much of the approach is still to come.
 *
 *   x[t] = level + amplitude exp(-t / time) + noise
 *
 * is fitted by least squares to the readings from their first one on, for each of a row of times.
 * Those whose likelihood is within chance of the best one's are not ruled out. Change points cut
 * such a warm-up into stairs, and what is left of it in the last stair shifts the mean: the fit
 * knows the time from the whole warm-up, and so the rest of it well.
 *
 * The approach counts where its amplitude is beyond chance (Student's t with the long-run variance
 * of the deviations, mean_variance.h) and where it fits better than the stairs do. Pure, any
 * thread.
 */
#ifndef CUPEL_STAT_CHANGE_APPROACH_H
#define CUPEL_STAT_CHANGE_APPROACH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define APPROACH_TIMES 25

struct approach {
    bool found;
    size_t count; /* approaches that the readings do not rule out; 0 unless found */
    double amplitude[APPROACH_TIMES]; /* at the first reading: below 0 for a level that rises */
    double time[APPROACH_TIMES];      /* readings in which the rest falls to 1/e */
};

size_t approach_scratch_bytes(size_t n);

/* x[0..n) divided at cuts[0..cut_count), ascending. */
struct approach approach_of(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                            struct arena *scratch);

/* Returns by how much the approach shifts the mean of the readings begin..end at most: the largest
   shift of all that the readings do not rule out. */
double approach_shift(const struct approach *a, size_t begin, size_t end);

#endif
