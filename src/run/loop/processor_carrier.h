/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads by processor, not by target: when there are more workers with requests due at instants
 * than processors, one thread issues the requests of many workers in the order of their due
 * instants, and reaps all their completions (the event queue of Anderson et al., Buttress (2004),
 * section 5). Each worker keeps its own backend, source and accounts, so that results stay apart.
 *
 * The workers of several sessions share the carriers of one process. A carrier opens and closes the
 * backends of its workers, too: rings belong to the thread that made them. A target that fails ends
 * the rounds of its own workers only.
 *
 * Any thread may call these functions.
 */
#ifndef CUPEL_RUN_LOOP_PROCESSOR_CARRIER_H
#define CUPEL_RUN_LOOP_PROCESSOR_CARRIER_H

#include "run/loop/worker.h"

struct carriers;

/* Returns NULL if there is no memory. */
struct carriers *carriers_new(void);

/* Ends all threads, except those with a worker that was never closed because its target hangs: they
   and their memory are left to the system. NULL: does nothing. */
void carriers_free(struct carriers *all);

/* Gives the worker the thread of its processor; the first worker of a processor starts the thread.
   Sets w->carrier. ERR_MACHINE: the thread cannot be started. */
int carriers_take(struct carriers *all, struct worker *w, struct err *e);

/* Asks the worker's carrier to do `work`. The carrier posts w->finished when that is done; a round
   is done when nothing is in flight any more. */
void carrier_ask(struct worker *w, enum carried_work work);

#endif
