/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A slow shift: a level that moves gradually, so that no single change point shows it (Li et al.,
 * *Pilot* (2016), VII, leaves it to future work).
 *
 * A line is fitted to the readings in their order. Its slope is a shift when its Student's t is
 * beyond chance at SLOW_SHIFT_ERROR and the whole change is at least SLOW_SHIFT_MIN_CHANGE of the
 * mean. The t uses the long-run variance of the deviations from the line (mean_variance.h), so
 * that autocorrelated noise is not taken for a shift.
 *
 * The change point search cuts a strong shift into steps. So the line is fitted to the longest
 * range of readings that contains the stable segment, begins at a cut before it, ends with the
 * segment or with the series, and is fitted better by a line than by the levels between the cuts.
 * If there is no such range, the line is fitted to the stable segment. A single step is fitted
 * better by two levels, and is no shift.
 *
 * False alarms and power are in docs/statistics.md. Pure; any thread may call it.
 */
#ifndef CUPEL_STAT_CHANGE_SLOW_SHIFT_H
#define CUPEL_STAT_CHANGE_SLOW_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "facts/change/level_shift.h"
#include "stat/change/segment.h"

#define SLOW_SHIFT_ERROR        0.005
#define SLOW_SHIFT_MIN_CHANGE   0.01
#define SLOW_SHIFT_MIN_READINGS 120

struct slow_shift {
    bool found;
    size_t begin, end; /* the readings that the line is fitted to, half open */
    double slope;      /* change from one reading to the next; 0 for too few readings */
    double low, high;  /* 95 % confidence interval of the slope; 0 for too few readings */
    /* change of the line from reading `begin` to the last reading before `end` */
    double change;
    /* value of the line at `begin`, clipped to the range of the readings; 0 for too few readings */
    double first;
};

size_t slow_shift_scratch_bytes(size_t n);

/* Returns the change relative to the level where the line begins. A line through a level that falls
   to 0 may end below 0; the share is limited to 1. */
struct level_shift slow_shift_share(const struct slow_shift *s);

/* Finds the shift of x[0..n). cuts[0..cut_count) are its change points, ascending; `stable` is its
   stable segment. */
struct slow_shift slow_shift_of(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                                struct segment stable, struct arena *scratch);

/* Fits the line to all readings of the range `stretch` (at least 3), and decides whether its slope
   is a shift. The caller must know that these readings contain no step. */
struct slow_shift slow_shift_fit(const double x[], struct segment stretch, struct arena *scratch);

#endif
