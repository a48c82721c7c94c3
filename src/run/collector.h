/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector: takes what the workers hand over and makes batches of it.
 *
 * One thread, the session's own. It never makes a worker wait. The first slice of a round, in which
 * the queues fill, is left out (not where requests have due times) of the slices and
 * stays in the histograms and totals; so is, with several workers, what completes after the round's
 * end. A worker that ends early ends the slices of all. Intervals that a suspension of the program
 * made void become no batches, and of their I/Os the failed ones alone are in the totals.
 */
#ifndef CUPEL_RUN_COLLECTOR_H
#define CUPEL_RUN_COLLECTOR_H

#include "run/measurement.h"
#include "run/suspension.h"
#include "run/worker.h"
#include "stat/busy.h"

/* A slice that was not handed out yet, as the records of several workers show it. There is room for
   so many; records of later slices stay in their ring until these are handed out. */
struct collector_slice {
    uint64_t asked_bytes, busy_ticks;
};
#define COLLECTOR_SLICES 1024

struct collector {
    struct worker *workers;
    unsigned count;
    const struct clock *clock;
    uint32_t block_size; /* bytes of every I/O; 0: they differ, and workers count the bytes */

    bool whole; /* requests have due times: nothing that fell due is left out. The first slice
                   counts, and what completes after the end counts with the last one */

    uint64_t next_interval; /* of the round, being assembled */
    uint64_t begin_ticks, slice_ticks;
    uint64_t last_slice; /* slices of the round from this one on are left out */
    struct slice total;  /* of the round, everything */
    uint64_t void_bytes; /* of the round, moved in intervals that are void */
    struct batch batch;
    struct suspension suspension;

    /* Several workers: the union of the time in which any of them had I/O in flight. */
    struct busy busy;                                 /* ticks; not yet shared out to slices */
    struct collector_slice pending[COLLECTOR_SLICES]; /* by the number of the slice in the round */
    uint64_t records;                                 /* seen in the session */
};

void collector_begin_round(struct collector *c, const struct round_order *order);

/* The round ends early, at this instant: the slice that it cuts and later ones are left out. */
void collector_end_round(struct collector *c, uint64_t ticks);

/* Empty the record rings. Often enough, or records are dropped: see collector_pause_ns. */
void collector_drain_records(struct collector *c);

/* The next whole batch, or NULL while a worker has not got there. Valid until the next call. */
const struct batch *collector_next(struct collector *c);

/* How long to sleep before the fullest record ring may be half full, from the last pause's inflow.
 */
uint64_t collector_pause_ns(const struct collector *c, uint64_t records_before, uint64_t pause_ns);

#endif
