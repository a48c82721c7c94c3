/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exact penalised least squares for changes of the mean.
 *
 * Minimises, over all ways to cut x[0..n) into segments of at least `minimum_segment` readings,
 *
 *     sum over the segments of sum (x - mean of the segment)^2, plus `penalty` for every cut
 *
 * which is what PELT minimises (Killick, Fearnhead, Eckley, JASA 107, 2012). x comes scaled so that
 * its noise has variance 1. PELT's own pruning needs O(n^2) steps when there is no change, the best
 * case for a measurement, so this prunes functionally (FPOP: Maidstone, Hocking, Rigaill,
 * Fearnhead, Statistics and Computing 27, 2017): it keeps, for every value the current mean could
 * have, the best last cut. That finds the same optimum in about O(n log n) steps. (At most 32
 * ranges of means are kept. Noisy readings take about 20; on a smooth ramp the optimum is
 * approximate.)
 *
 * The minimum length is kept by letting a cut t compete only from reading t + minimum_segment on,
 * with the cost of all its readings. Pruning stays exact: the costs of two cuts differ, as
 * functions of the mean, by the readings between the two alone, so the sign of that difference
 * never changes afterwards. The cost of each cut still in the race is kept as count, mean and sum
 * of squares about that mean (Welford), so that long series and large levels lose no digits.
 */
#ifndef CUPEL_STAT_PELT_H
#define CUPEL_STAT_PELT_H

#include <stddef.h>

#include "base/arena.h"

size_t pelt_scratch_bytes(size_t n, size_t minimum_segment);

/*
 * Writes the first `capacity` cuts (first index of each new segment, ascending) to `out` and
 * returns how many there are in all. x is finite, n below 2^32; minimum_segment is at least 1.
 */
size_t pelt_mean(const double x[], size_t n, double penalty, size_t minimum_segment, size_t out[],
                 size_t capacity, struct arena *scratch);

#endif
