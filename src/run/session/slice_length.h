/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The length of a time slice, in seconds. */
#ifndef CUPEL_RUN_SESSION_SLICE_LENGTH_H
#define CUPEL_RUN_SESSION_SLICE_LENGTH_H

#include "run/measurement/measurement.h"
#include "run/plan/plan.h"

/* A slice should hold some I/Os, so that counting whole ones adds little noise: the shortest of 1,
   2 or 5 times a power of ten seconds in which ten are expected. Not below SLICE_MIN_SECONDS. */
#define SLICE_MIN_SECONDS 0.01
double slice_for_rate(double ios_per_second);
/* What is left of a short --limit has to hold some slices, though they hold fewer I/Os then; not so
   few that many hold none. */
double slice_to_fit(double slice, double rate, double left_seconds);
/* The longest slice, up to that one, of which whole batches make an interval of every clause. */
double slice_for_clauses(double slice, const struct plan *plan);
/* A run of known length that has more slices than the measurement keeps apart would have them put
   together anyway: it has longer ones from the beginning, which keeps its record small. Intervals
   of percentiles over time still consist of whole batches. */
double slice_for_length(double slice, const struct plan *plan);
/* A session whose length is not known has slices that are longer when it lasts longer: so many
   original ones each in its next round. The measurement keeps as many together by then anyway. */
unsigned slice_span(const struct measurement *m, const struct plan *plan);

#endif
