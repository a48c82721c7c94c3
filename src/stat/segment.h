/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stable segment of a series and what the change points around it say (paper 000, III-A).
 *
 * The stable segment is the longest one, and it has to hold more than half of the readings. The
 * phase follows from what lies before and after it; "better" and "worse" compare means, in the
 * direction that the caller gives:
 *
 *   no cut                                          flat
 *   no segment above one half                       no steady state
 *   readings before it, none after it               warm-up, whichever way the level moved: a drive
 *                                                   that falls from its fresh state to its steady
 *                                                   state warms up too
 *   none before it, worse readings after it         slowdown
 *   none before it, better readings after it        warm-up: at the end it was still improving
 *   readings before and after it                    slowdown when those after it are worse and more
 *                                                   than those before it, else warm-up: workers
 * that finish one by one make every run cool down at its very end, and that is not the device
 */
#ifndef CUPEL_STAT_SEGMENT_H
#define CUPEL_STAT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

enum phase {
    PHASE_FLAT,            /* one level from beginning to end */
    PHASE_WARMUP,          /* the stable segment comes after different readings */
    PHASE_SLOWDOWN,        /* the stable segment ends and a worse level follows */
    PHASE_NO_STEADY_STATE, /* no segment holds more than half of the readings */
};

struct segment_verdict {
    size_t begin, end; /* the stable segment, half open; the whole series when there is none */
    enum phase phase;
};

struct segment {
    size_t begin, end; /* half open */
};

/* The longest of the cut_count + 1 segments of n readings; the earliest of equals. */
struct segment segment_longest(size_t n, const size_t cuts[], size_t cut_count);

/*
 * Judge x[0..n) divided at cuts[0..cut_count): first index of each new segment, ascending, each in
 * 1..n-1.
 */
struct segment_verdict segment_judge(const double x[], size_t n, const size_t cuts[],
                                     size_t cut_count, bool higher_is_better);

#endif
