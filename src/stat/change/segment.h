/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stable segment of a series, and the phase that follows from the change points around it (Li
 * et al., Pilot (2016), III-A).
 *
 * The stable segment is the longest one, and it has to hold more than half of the readings. The
 * phase follows from the readings before and after it; "better" and "worse" compare means, in the
 * direction that the caller gives:
 *
 *   no cut                                    flat
 *   no segment above one half                 no steady state
 *   readings before it, none after it         warm-up, whichever way the level moved: a drive that
 *                                             falls from its fresh to its steady state warms up
 *   none before it, worse readings after it   slowdown
 *   none before it, better readings after it  warm-up: the level was still improving at the end
 *   readings before and after it              slowdown if the readings after it are worse and more
 *                                             numerous than those before it, otherwise warm-up:
 *                                             workers that finish one by one make every run cool
 *                                             down at its end, which is not due to the device
 */
#ifndef CUPEL_STAT_CHANGE_SEGMENT_H
#define CUPEL_STAT_CHANGE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum phase {
    PHASE_FLAT,            /* the series has one level from beginning to end */
    PHASE_WARMUP,          /* other readings precede the stable segment */
    PHASE_SLOWDOWN,        /* the stable segment ends, and a worse level follows */
    PHASE_NO_STEADY_STATE, /* no segment holds more than half of the readings */
};

struct segment_verdict {
    /* the stable segment, half open; the whole series if there is no stable segment */
    size_t begin, end;
    enum phase phase;
};

struct segment {
    size_t begin, end; /* half open */
};

/* Returns the longest of the cut_count + 1 segments of n readings; the earliest if several are
   equal. */
struct segment segment_longest(size_t n, const size_t cuts[], size_t cut_count);

/*
 * Finds the stable segment and the phase of x[0..n). cuts[0..cut_count) are its change points: the
 * first index of each new segment, ascending, each in 1..n-1.
 */
struct segment_verdict segment_judge(const double x[], size_t n, const size_t cuts[],
                                     size_t cut_count, bool higher_is_better);

/*
 * A dip, or a rise, is a short series of readings in the middle of one level: the levels before
 * and after it are the same.
 *
 * A dip is part of the stable segment that surrounds it. One dip does not show how often dips come,
 * so its readings are not left out. They count in the mean and widen the interval as one rare event
 * does, until the series is long enough to show how rare dips are.
 */

size_t dip_scratch_bytes(size_t n);

/*
 * Removes both ends of every dip of x[0..n) from `cuts` and returns how many cuts are left. A
 * segment is a dip when each of its neighbours is at least twice as long, the two together hold
 * more than half of the readings, and the two are at one level. They are at one level if a cut
 * between them, once joined, would be worth less than `min_worth` (the worth is that of longrun.c,
 * but the square of the standard error is the sum of the variances of the two means).
 */
size_t dip_remove_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count,
                       double min_worth, struct arena *scratch);

/*
 * The tail of a warm-up. A level that is approached gradually is not quite reached where the change
 * point search puts its last cut, and the readings that still settle would shift the mean.
 */

size_t settling_scratch_bytes(size_t n);

/*
 * Returns how many of the first `max` readings of the level x[begin..end), which follows the
 * warm-up x[0..begin), still settle.
 *
 * The result is 0 unless the warm-up itself moves towards the level: its second half must lie
 * nearer to the level than its first half by more than three standard errors. So a clean step has
 * no tail, and no reading after it is left out by chance.
 *
 * Otherwise twentieths of the level are left out as long as the first fifth of what remains lies
 * further towards the warm-up than its last half does, by more than one standard error of their
 * difference (after Geweke, *Bayesian Statistics* 4, 1992). All standard errors come from the
 * long-run variance of the last half of the level.
 */
size_t settling_length(const double x[], size_t begin, size_t end, size_t max,
                       struct arena *scratch);

#endif
