/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Busy time: the length of the union of the intervals in which at least one I/O was in flight, the
 * T of BPS = B / T (He, Sun, Yin (2013), section III). Idle time is left out, overlapping time
 * counts once.
 */
#ifndef CUPEL_STAT_BASIC_BUSY_H
#define CUPEL_STAT_BASIC_BUSY_H

#include <stddef.h>
#include <stdint.h>

struct busy_interval {
    uint64_t begin, end; /* half open, any unit */
};

/*
 * A list of busy stretches in bounded memory, in order of time. When it is full, neighbours of one
 * part whose gap is shorter than a threshold are merged; a merged stretch records how much of it is
 * busy. The threshold doubles, from `gap_min` up, until there is room again. Stretches of different
 * parts are never merged, so there must not be more parts than BUSY_LIST_MAX.
 */
#define BUSY_LIST_MAX 256

struct busy_stretch {
    uint64_t begin, end, busy; /* busy <= end - begin */
    unsigned part;
};

struct busy_list {
    size_t count;
    unsigned part;    /* the part that the next stretches are added to */
    uint64_t gap_min; /* the first threshold, above 0 */
    uint64_t gap;     /* gaps up to this one are merged; 0: all gaps are kept */
    struct busy_stretch stretch[BUSY_LIST_MAX];
};

void busy_list_init(struct busy_list *l, uint64_t gap_min);

/* The stretch must begin at the end of the last one or after it. */
void busy_list_add(struct busy_list *l, uint64_t begin, uint64_t end);

/*
 * Busy time online, for intervals that arrive ordered by their END, as completions do: a short
 * stack of disjoint busy stretches, which are merged when a later completion reaches back over
 * them. An interval that arrives late is inserted in its place, after a longer search.
 *
 * busy_settle(limit) folds everything before `limit` into the sum, for good: pass the earliest
 * submission still in flight. BUSY_STRETCHES bounds the memory: when the stack is full, its oldest
 * quarter is folded, and time before that no longer counts.
 *
 * 64 KiB; the caller owns it. One thread at a time.
 */
#define BUSY_STRETCHES 4096

struct busy {
    uint64_t settled;       /* length of stretches already folded */
    uint64_t settled_until; /* nothing before this counts any more */
    struct busy_list *list; /* receives the stretches that are folded, or NULL */
    size_t count;
    struct busy_interval stretch[BUSY_STRETCHES]; /* disjoint, ascending, none touching */
};

void busy_init(struct busy *b); /* without a list */

/* An interval that does not end after it begins adds nothing. */
void busy_add(struct busy *b, uint64_t begin, uint64_t end);

/* Folds what ends before `limit` (see above). A limit before an earlier one does nothing. */
void busy_settle(struct busy *b, uint64_t limit);

/* Length of the union of all that was added. */
uint64_t busy_total(const struct busy *b);

#endif
