/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A warm-up that is shorter than the least segment of a change point search.
 *
 * The first k readings are one when, for some k from 3 to `most`,
 *
 *   - the reading k - 1, and four of five before it, lie outside the range that holds all but 1 %
 *     of the later readings, all on the same side: a few stalls at the start are not enough, nor is
 *     a level that comes back later;
 *   - the means before and after k differ by more than chance explains:
 *     (df + 1) ln(1 + t^2 / df) >= least_worth with t = step / sqrt(s0 (1/k + 1/(n-k))), as in
 *     longrun.h. s0 and its degrees of freedom df are those of the readings from `most` on.
 *
 * Of several k the one of the largest worth counts.
 */
#ifndef CUPEL_STAT_SHORT_WARMUP_H
#define CUPEL_STAT_SHORT_WARMUP_H

#include <stddef.h>

#include "base/arena.h"

size_t short_warmup_scratch_bytes(size_t n);

/* The length of the warm-up at the start of x[0..n), 0 for none, and always so when n < 2 most. */
size_t short_warmup_length(const double x[], size_t n, size_t most, double least_worth,
                           struct arena *scratch);

#endif
