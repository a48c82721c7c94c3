/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting for completions: into the time slice they completed in and the histogram of its
 * interval (run/interval.h). Part of the hot loop, called by the worker's own thread for a block at
 * a time.
 */
#ifndef CUPEL_RUN_ACCOUNT_H
#define CUPEL_RUN_ACCOUNT_H

#include <stddef.h>

#include "run/worker.h"

/* Set the worker's slices to the beginning of the round that *w->order describes. */
void account_begin_round(struct worker *w);

/*
 * Count done[0..n), in the order of their completion. Whoever saw them first has set
 * w->block_failed if any of them failed.
 *
 * busy_ticks of a slice is the union of the time in it with I/O of this worker in flight
 * (stat/busy.h). One request at a time: from its t_sub to its t_cpl. Several of them (w->overlaps):
 * something is in flight from one completion to the next, though the slot of the first is filled
 * again only after a moment, unless w->was_idle says that a block began with nothing in flight.
 */
void account_completions(struct worker *w, const struct io_done done[], size_t n);

/*
 * Time has passed the end of the current slice: go on in the slice that `now` lies in. I/O has been
 * in flight since `in_flight_since` (UINT64_MAX: none is): that time is added to all slices before
 * the new one, as far as w->busy_until says that it is not yet accounted for.
 */
void account_advance_slice(struct worker *w, uint64_t now, uint64_t in_flight_since);

/* Tell the collector when the last I/O of the round had completed, and hand over what is left. */
void account_end_round(struct worker *w, uint64_t ended_ticks);

/* Errors after which no further I/O can succeed: the device is gone, the disk is full. */
bool account_is_fatal(int error);

/* So many failures without a success: the target is gone, a longer round would tell nothing. */
#define FAILED_IN_A_ROW 100

/* The target is gone, or nothing succeeds: end the round, and with it the session. */
static inline void account_give_up(struct worker *w)
{
    w->fatal = true;
    atomic_store_explicit(&w->halt, true, memory_order_relaxed);
}

/* A failed I/O has moved nothing (see io.h), so the bytes alone tell. */
static inline bool account_succeeded(const struct worker *w, const struct io_done *done)
{
    return done->bytes == w->workload.block_size;
}

#endif
