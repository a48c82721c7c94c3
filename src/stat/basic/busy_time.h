/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Busy time: the length of the union of the intervals in which at least one I/O was in flight, the
 * T of BPS = B / T (He, Sun, Yin (2013), section III). Idle time is left out, overlapping time
 * counts once.
 */
#ifndef CUPEL_STAT_BASIC_BUSY_TIME_H
#define CUPEL_STAT_BASIC_BUSY_TIME_H

#include <stddef.h>
#include <stdint.h>

struct busy_interval {
    uint64_t begin, end; /* half open, in any unit */
};

/*
 * A list of busy stretches in bounded memory, ordered by time. The caller divides time into
 * numbered parts, and each stretch belongs to one. When the list is full, neighbouring stretches of
 * the same part are merged if the gap between them is at most a threshold; a merged stretch records
 * how much of it is busy. The threshold doubles, from `gap_min` up, until the list has room again.
 * Stretches of different parts are never merged, so there must not be more parts than
 * BUSY_LIST_MAX.
 */
#define BUSY_LIST_MAX 256

struct busy_stretch {
    /* `busy`: how long an I/O was in flight between `begin` and `end` */
    uint64_t begin, end, busy;
    unsigned part;
};

struct busy_list {
    size_t count;
    unsigned part;    /* number of the part to which stretches that are added next belong */
    uint64_t gap_min; /* the first threshold, above 0 */
    /* present threshold: gaps up to this length are merged; 0: all gaps are kept */
    uint64_t gap;
    struct busy_stretch stretch[BUSY_LIST_MAX];
};

void busy_list_init(struct busy_list *l, uint64_t gap_min);

/* Adds a busy stretch. It must not begin before the end of the last one. */
void busy_list_add(struct busy_list *l, uint64_t begin, uint64_t end);

/*
 * Busy time online, for intervals that arrive ordered by their END, as completions do. It is
 * stored as a short stack of disjoint busy stretches, which are merged when a later completion
 * reaches back over them. An interval that arrives late is inserted in its place, after a longer
 * search.
 *
 * busy_settle(limit) adds everything before `limit` to the sum, for good: pass the earliest
 * submission still in flight. BUSY_STRETCHES bounds the memory: when the stack is full, its
 * oldest quarter is added to the sum, and intervals added later no longer count before that time.
 *
 * 64 KiB; the caller owns it. One thread at a time.
 */
#define BUSY_STRETCHES 4096

struct busy {
    uint64_t settled; /* busy time before settled_until */
    /* time before this is final: intervals that are added later add no busy time there */
    uint64_t settled_until;
    /* receives the busy stretches that are removed from the stack, or NULL */
    struct busy_list *list;
    size_t count;
    /* stack of stretches, disjoint and not touching, in ascending order */
    struct busy_interval stretch[BUSY_STRETCHES];
};

void busy_init(struct busy *b); /* without a list */

/* Adds an interval. An interval whose end is not after its beginning adds nothing. */
void busy_add(struct busy *b, uint64_t begin, uint64_t end);

/* Adds all busy time before `limit` to the sum, for good (see above). A limit below an earlier
   limit has no effect. */
void busy_settle(struct busy *b, uint64_t limit);

/* Returns the length of the union of all intervals that were added. */
uint64_t busy_total(const struct busy *b);

#endif
