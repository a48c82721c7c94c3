/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slow end of a series: does its level still move, or move more slowly than was waited for?
 *
 * Two tests of readings that are to have one level, whose mean has the estimate `e`:
 *
 *   - the mean square of their partial sums about the mean, over what the estimate lets expect. It
 *     is the best test against a level that walks at random (J. Nyblom, *Testing for the constancy
 *     of parameters over time*, 1989; D. Kwiatkowski et al., 1992), and sees a trend as well;
 *   - the mean power of the SLOW_END_LOWEST lowest frequencies of the periodogram over that of the
 *     SLOW_END_BESIDE above them. Once the readings are many times as long as their slowest
 *     movement, the spectrum is flat there, and the ratio has Fisher's F distribution. While it
 *     rises, the variance of the mean is not known yet: the movements to come may be larger.
 *
 * Under long memory the spectrum rises for ever, and sums wander further: what the estimate says of
 * that is allowed for. Pure, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_SLOW_END_H
#define CUPEL_STAT_ESTIMATE_SLOW_END_H

#include <stdbool.h>

#include "stat/estimate/estimate.h"

/* Fewer readings show no slow movement. */
#define SLOW_END_MIN_READINGS 60
#define SLOW_END_LOWEST       4
#define SLOW_END_BESIDE       12
/* Each test finds a movement in this share of the series that have none. */
#define SLOW_END_ERROR 0.05

/* x[0..e->n) are the readings of the estimate. */
bool slow_end_moves(const double x[], const struct estimate *e);

#endif
