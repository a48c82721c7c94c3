/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes the phase of a series in words, for a series over time and for a column of readings:
 * the part that the number is computed from, and the parts that were left out.
 */
#ifndef CUPEL_REPORT_LAYOUT_PHASE_H
#define CUPEL_REPORT_LAYOUT_PHASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/change/change_search.h"
#include "facts/result.h"

struct phase_view {
    const char *phase; /* "flat", "warmup", "slowdown", "no_steady_state" */
    enum change_search search;
    size_t stable_begin, stable_end, count;
    bool no_level; /* the level of the steady part does not hold (facts/change/level_state.h) */
    const size_t *changepoints;
    size_t changepoint_count;
    double slice_seconds; /* duration of a slice; 0: the series are readings without a time */
    /* [count], bandwidth of each slice, from which the bytes that a part transferred are computed;
       or NULL */
    const double *bandwidth;
};

/* Adds one to three sentences about the phase. */
void phase_sentences(const struct phase_view *v, struct text *out);

/* Adds one sentence with the positions of the first dozen change points. Adds nothing if there are
   no change points. */
void phase_changepoints(const struct phase_view *v, struct text *out);

#endif
