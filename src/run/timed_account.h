/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting for requests that have due times: into time slices and the histograms of their
 * intervals, at their issue and at their completion. Part of the timed loop (run/timed_pump.h).
 *
 * Time goes on here with every event and also without: timed_account_advance splits what is in
 * flight over the slices and hands finished intervals over. An event that comes with an earlier
 * instant than the one before counts as of the same one.
 */
#ifndef CUPEL_RUN_TIMED_ACCOUNT_H
#define CUPEL_RUN_TIMED_ACCOUNT_H

#include "run/worker.h"

void timed_account_begin(struct worker *w);

/* All time before `now` (ticks) is over. */
void timed_account_advance(struct worker *w, uint64_t now);

/* No more time will pass: before the round's end is told. */
void timed_account_end(struct worker *w);

/* requests[0..n) were handed over at `issued` (ticks): issue errors, and they are in flight. */
void timed_account_issued(struct worker *w, const struct io_req requests[], unsigned n,
                          uint64_t issued);

/* One of them has completed. A flush that succeeds counts as no I/O. */
void timed_account_completed(struct worker *w, const struct io_done *done);

/* So many requests were due at `now` and not issued. */
void timed_account_backlog(struct worker *w, uint64_t backlog);

/* Append done[0..n) to the record ring, where somebody reads it: before they are counted as
   completed, so that the collector sees them with the interval that they belong to. */
void timed_account_records(struct worker *w, const struct io_done done[], unsigned n);

#endif
