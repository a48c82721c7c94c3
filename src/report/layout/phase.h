/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The phase verdict in words, both for a series over time and for a column of readings: the part
 * that the number is of, and the parts that were left out.
 */
#ifndef CUPEL_REPORT_LAYOUT_PHASE_H
#define CUPEL_REPORT_LAYOUT_PHASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/change/change_search.h"
#include "facts/result.h"

struct phase_view {
    const char *phase; /* flat, warmup, slowdown, no_steady_state */
    enum change_search search;
    size_t stable_begin, stable_end, count;
    bool no_level; /* the steady part does not show one level (facts/change/level_state.h) */
    const size_t *changepoints;
    size_t changepoint_count;
    double slice_seconds;    /* 0: positions are readings, not times */
    const double *bandwidth; /* of each slice, to show bytes beside times; or NULL */
};

/* Writes one to three sentences. */
void phase_sentences(const struct phase_view *v, struct text *out);

/* Writes one sentence that lists the change points, the first dozen by position; nothing without
 * change points. */
void phase_changepoints(const struct phase_view *v, struct text *out);

#endif
