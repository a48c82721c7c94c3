/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of sessions over time. Pure, any thread. */
#ifndef CUPEL_RUN_HISTORY_INTERNAL_H
#define CUPEL_RUN_HISTORY_INTERNAL_H

#include <stddef.h>

/* ---- prediction_length.c ---- */

/*
 * A session of n readings predicts the mean of the next n. Returns the width of a prediction for
 * the next m readings, divided by the width of the prediction for n. `then` and `now` are n and
 * m, or the lengths of both sessions in any unit. `memory` is the long memory d of the readings
 * (0: none).
 *
 * The means of two consecutive stretches of fractional noise differ with a variance of
 *
 *     n^(2d-1) + m^(2d-1) - ((n+m)^(2d+1) - n^(2d+1) - m^(2d+1)) / (n m)
 *
 * times a constant (Beran, Statistics for Long-Memory Processes, 1994, 2.3), which is 1/n + 1/m
 * without memory.
 */
double prediction_stretch(double then, double now, double memory);

/* ---- history_judge.c: changes of the level ---- */

/*
 * Changes of the level between sessions, such as a disk that has been slower since some day.
 *
 * A session is a mean with its own standard error. Sessions vary by more than their standard
 * errors (heat, a drive's own work, neighbours), and a session resembles the one before it. So
 * the statistic of a cut
 *
 *   - compares the difference between the levels before and after the cut with the scatter of the
 *     sessions about these two levels, or with the scatter that their own intervals state, if that
 *     is larger;
 *   - is reduced as if neighbouring sessions had a correlation of 1/2, or the estimated
 *     correlation, if that is larger.
 *
 * Sessions with wide intervals weigh less. The best cut with three sessions or more on both
 * sides, or else the best two cuts, are changes if the statistic exceeds a threshold that at most
 * 1 % of histories without a change exceed, whether their sessions are independent or correlated
 * by 1/2 (tests/unit/test_history_levels.c). The parts are then searched in the same way.
 */

/* Fewer sessions than SESSION_LEVELS_MIN show no change. Of more than SESSION_LEVELS_MAX only the
   last ones are searched. */
#define SESSION_LEVELS_MIN 8
#define SESSION_LEVELS_MAX 1000

/*
 * Writes the first `capacity` cuts, ascending, to `cuts`: the index of the first session of each
 * new level. Returns their number. `mean` is finite; an `error` that is not finite counts as 0.
 * Pure.
 */
size_t session_levels_find(const double mean[], const double error[], size_t n, size_t cuts[],
                           size_t capacity);

/* Returns by how much the level rises or falls from the first session to the last, for sessions
   among which no cut was found, as in a slow movement. Returns 0 if no trend exceeds the threshold.
   Pure. */
double session_levels_trend(const double mean[], size_t n);

#endif
