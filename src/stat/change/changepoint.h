/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Change points of the mean: where one phase of a measurement ends and the next begins.
 *
 *   CHANGEPOINT_PELT  penalised least squares on readings scaled by a noise level that is robust
 *                     to outliers and to autocorrelation (default); in this order:
 *                       1. outliers are clipped (noise.c)
 *                       2. noise level s, with its autocorrelation (noise.c)
 *                       3. cuts of least cost on x/s: penalty 3 ln n, 30 readings or more
 *                          between cuts (pelt.c)
 *                       4. levels that come and go are noise: step 3 again, with a noise level
 *                          that includes the switching (noise.c)
 *                       5. cuts that autocorrelated or skewed noise explains are removed
 *                          (cut_confirmation.c)
 *                       6. cuts that the long-run noise explains are removed: bursts of stalls,
 *                          or slow movement under fast noise. One or two outliers between
 *                          ordinary readings are no burst (longrun.c)
 *                       7. a series that never comes back to its mean (ramp, random walk) has
 *                          no level: step 3 again, without autocorrelation (changepoint.c)
 *                       8. a warm-up of fewer than 30 readings at the very start is searched
 *                          for (changepoint.c)
 *                     In fewer than 60 readings, outliers are clipped and only plain steps are
 *                     found; in fewer than 12, nothing is found (changepoint.c)
 *   CHANGEPOINT_EDM   what Pilot calls EDM_percent(30, .25, 1), bit for bit, errors included: for
 *                     comparison with Pilot only; O(n^2) time
 *   CHANGEPOINT_NONE  the series is one segment
 *
 * False alarms and missed steps are measured in tests/unit/test_changepoint_power.c. Some
 * stationary series that change rarely compared with their length are cut, since no method can
 * tell them apart: levels that hold for 20 readings in 300 (9 %), for 50 in 500 (8 %), ARMA(.9,
 * -.7) in 200 (11 %). A step under a pattern that repeats without any noise may be missed.
 */
#ifndef CUPEL_STAT_CHANGE_CHANGEPOINT_H
#define CUPEL_STAT_CHANGE_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "facts/change/change_search.h"

enum changepoint_method { CHANGEPOINT_PELT, CHANGEPOINT_EDM, CHANGEPOINT_NONE };

/* Minimum number of readings in a segment; only a short warm-up may have fewer. */
#define CHANGEPOINT_MINIMUM_SEGMENT (CHANGE_SEARCH_FULL_READINGS / 2)

/* Returns the scratch bytes for n readings: about 25 bytes a reading for PELT, 40 for EDM. */
size_t changepoint_scratch_bytes(enum changepoint_method method, size_t n);

/* Returns 3 ln n, with n at least 1000. One more cut must improve the fit of n readings by this
   much, on the scale of chi-squared. */
double changepoint_penalty(size_t n);

/*
 * Finds the change points of x[0..n), finite values, n below 2^32. Writes the first `capacity` of
 * them to `out` (first index of each new segment, ascending) and returns the number of all change
 * points. Pure.
 */
size_t changepoint_find(enum changepoint_method method, const double x[], size_t n, size_t out[],
                        size_t capacity, struct arena *scratch);

/* Returns which kinds of changes changepoint_find can find in n readings. */
enum change_search changepoint_search(enum changepoint_method method, size_t n);

/* Returns true if x[0..n) rises or falls from its beginning to its end; always false when the
   series is long enough for the full search. */
bool changepoint_is_trend(enum changepoint_method method, const double x[], size_t n);

#endif
