/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a stretch of readings come back to its mean often enough to have a steady level at all?
 */
#ifndef CUPEL_STAT_REVERSION_H
#define CUPEL_STAT_REVERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

size_t reversion_scratch_bytes(void);

/*
 * True when x[0..n) is worth at least three independent readings (n / 150, at least 1.5, in
 * stretches shorter than 450), n_eff = n var (1 - r)^2 /
 * var_noise with r the persistence and var_noise the noise of an autoregressive fit. A random walk,
 * a ramp and a slow decay that fills the series are worth fewer, whatever their length; so is a
 * stationary series that is shorter than about six times its correlation time, and nobody can tell
 * these apart. The lower of the fits of order 1 and of order up to 5 counts: a high order predicts
 * a smooth curve without an error. A constant stretch is steady. Long stretches are averaged in
 * blocks first.
 */
bool reversion_is_steady(const double x[], size_t n, struct arena *scratch);

#endif
