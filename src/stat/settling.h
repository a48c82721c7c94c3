/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tail of a warm-up: a level that is approached bit by bit is nearly, but not quite reached
 * where the change point search puts its last cut, and its rest would shift the mean.
 */
#ifndef CUPEL_STAT_SETTLING_H
#define CUPEL_STAT_SETTLING_H

#include <stddef.h>

#include "base/arena.h"

size_t settling_scratch_bytes(size_t n);

/*
 * How many of the first `most` readings of the level x[begin..end), which follows the warm-up
 * x[0..begin), still settle?
 *
 * None, unless the warm-up itself moves towards the level: its second half lies nearer than its
 * first by more than three standard errors. A clean step has no tail, and loses no reading to
 * chance.
 *
 * Then, by twentieths of the level: as long as the first fifth of what is left lies further towards
 * the warm-up than its last half does, by more than one standard error of their difference (after
 * Geweke, *Bayesian Statistics* 4, 1992). All standard errors come from the long-run variance of
 * the last half of the level.
 */
size_t settling_length(const double x[], size_t begin, size_t end, size_t most,
                       struct arena *scratch);

#endif
