/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Change points by differences of medians, as Pilot and the programs it took them from compute
 * them, faults included: the first change is never tested, so a series without any change is cut.
 * For comparison with Pilot's results only.
 *
 * For s from 2 delta to n and t from delta to s - delta, with p the last cut before t:
 *   F[s] = max over t of F[t] + (t - p)(s - t)/(s - p)^2 (median Z[p,t) - median Z[t,s))^2
 * Ties go to the smallest t. G(k) is k -> 1 for degree 1, 2k + 1 for degree 2, 0 for any other.
 *
 * Time O(n^2): for each t the medians of Z[t,s) come from an ordered list that loses one reading
 * after the other. Memory O(n).
 */
#ifndef CUPEL_STAT_EDM_H
#define CUPEL_STAT_EDM_H

#include <stddef.h>

#include "base/arena.h"

/* What Pilot passes to edm_percent. */
#define EDM_PILOT_DELTA   30
#define EDM_PILOT_PERCENT 0.25
#define EDM_PILOT_DEGREE  1

size_t edm_scratch_bytes(size_t n);

/*
 * EDM_percent: a cut stays when it raises F by `percent` times G(cuts before it). Writes the first
 * `capacity` cuts (0-based first index of each new segment, ascending) and returns how many there
 * are. delta is at least 1.
 */
size_t edm_percent(const double x[], size_t n, size_t delta, double percent, int degree,
                   size_t out[], size_t capacity, struct arena *scratch);

#endif
