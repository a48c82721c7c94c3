/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the length of a time slice, in seconds. */
#ifndef CUPEL_RUN_SESSION_SLICE_LENGTH_H
#define CUPEL_RUN_SESSION_SLICE_LENGTH_H

#include "run/measurement/measurement.h"
#include "run/plan/plan.h"

/*
 * A slice should hold some I/Os, so that counting whole ones adds little noise. Its length is the
 * shortest of 1, 2 or 5 times a power of ten seconds in which ten I/Os are expected, but at least
 * SLICE_MIN_SECONDS.
 */
#define SLICE_MIN_SECONDS 0.01
double slice_for_rate(double ios_per_second);
/* Shortens the slice so that the remaining time of a short --limit contains several slices. Such
   slices contain fewer I/Os, but not so few that many slices are empty. */
double slice_to_fit(double slice, double rate, double left_seconds);
/* Returns the longest slice, not above `slice`, of which whole batches make up an interval of every
   clause. */
double slice_for_clauses(double slice, const struct plan *plan);
/*
 * Lengthens the slice for a run of known length with more slices than the measurement keeps: they
 * would be merged anyway, and longer slices keep the record small. Intervals of percentiles over
 * time still consist of whole batches.
 */
double slice_for_length(double slice, const struct plan *plan);
/*
 * Returns the number of original slices in a slice of the next round, for a session of unknown
 * length: slices become longer the longer it lasts. By that time the measurement has merged as many
 * slices into one anyway.
 */
unsigned slice_span(const struct measurement *m, const struct plan *plan);

#endif
