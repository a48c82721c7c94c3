/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Change points of the mean: where one phase of a measurement ends and the next begins.
 *
 *   CHANGEPOINT_PELT  penalised least squares on readings scaled by a noise level that is robust to
 *                     outliers and to autocorrelation (default)
 *   CHANGEPOINT_EDM   what Pilot calls EDM_percent(30, .25, 1), bit for bit, faults included: for
 *                     comparison with Pilot only
 *   CHANGEPOINT_NONE  the series is one segment
 */
#ifndef CUPEL_STAT_CHANGEPOINT_H
#define CUPEL_STAT_CHANGEPOINT_H

#include <stddef.h>

#include "base/arena.h"

enum changepoint_method { CHANGEPOINT_PELT, CHANGEPOINT_EDM, CHANGEPOINT_NONE };

size_t changepoint_scratch_bytes(enum changepoint_method method, size_t n);

/*
 * Find the change points of x[0..n). Writes the first `capacity` of them to `out` (first index of
 * each new segment, ascending) and returns how many there are in all.
 */
size_t changepoint_find(enum changepoint_method method, const double x[], size_t n, size_t out[],
                        size_t capacity, struct arena *scratch);

#endif
