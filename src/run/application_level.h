/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of a recording: of one level (a program's system calls, or one device's requests), and the
 * series of I/Os over time. Plain memory of the caller; one thread at a time.
 */
#ifndef CUPEL_RUN_APPLICATION_LEVEL_H
#define CUPEL_RUN_APPLICATION_LEVEL_H

#include "base/application.h"
#include "stat/busy.h"
#include "stat/histogram.h"

struct level {
    struct histogram response[APPLICATION_ALL]; /* by op; counts the I/Os as well */
    uint64_t bytes[APPLICATION_ALL], failed[APPLICATION_ALL];
    uint64_t asked; /* bytes, of every I/O and of attempts that are none */
    struct busy busy;
    uint64_t in_flight, depth_most;
    uint64_t merged, own_count, own_bytes;
};

struct level_io {
    enum application_op op;
    uint64_t begin_ns, end_ns;
    uint64_t asked, moved; /* bytes */
    bool failed;
};

void level_init(struct level *l);
void level_begin(struct level *l); /* one more in flight */
void level_leave(struct level *l); /* one less, and nothing to count */
void level_add(struct level *l, const struct level_io *io);
/* It counts in BPS only: what it asked for, and its time in flight. */
void level_add_attempt(struct level *l, const struct level_io *io);

/* The sums as they are reported, name and size left alone. `all` is scratch. */
void level_report(const struct level *l, struct histogram *all, struct application_level *to);

/* I/Os and bytes by the time they began, in slices that grow with the recording. */
#define SERIES_SLICES 4096

struct series {
    uint64_t begin_ns, slice_ns;
    size_t count; /* slices up to the last I/O */
    uint32_t ios[SERIES_SLICES];
    uint64_t bytes[SERIES_SLICES];
};

void series_init(struct series *s, uint64_t begin_ns);
void series_add(struct series *s, uint64_t time_ns, uint64_t bytes);

/* Rates per second, of `count` slices up to `end_ns`; the last slice, when it is not whole, is left
   out unless it is the only one. Returns how many there are; `iops` and `bandwidth` have room for
   SERIES_SLICES. */
size_t series_rates(const struct series *s, uint64_t end_ns, double iops[], double bandwidth[]);

#endif
