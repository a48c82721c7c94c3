/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where and how workers run: which processor, which priority, memory that stays in place.
 *
 * Real-time priority is given only if it does no harm: the kernel's real-time throttling stalls a
 * worker that never sleeps for 50 ms in every second. The session therefore takes the priority back
 * from workers that are busy all the time in a trial round. A timed loop keeps it by sleeping
 * enough (timed_wait.c), because without it other threads take its processor for milliseconds.
 */
#ifndef CUPEL_RUN_LOOP_PLACEMENT_H
#define CUPEL_RUN_LOOP_PLACEMENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan/plan.h"

/* Pins the calling thread to `cpu` (-1: the thread is not pinned) and requests SCHED_FIFO. If that
   fails, `note` gets the reason. */
void placement_apply(int cpu, bool realtime, bool *realtime_granted, char *note, size_t size);

/* placement_begin_realtime gives a thread the lowest real-time priority; placement_end_realtime
   gives it ordinary priority again. */
bool placement_begin_realtime(pthread_t thread);
void placement_end_realtime(pthread_t thread);

/*
 * Chooses the processor of worker `number` from the plan's list, or else from those that this
 * process may use. The first one is kept for the collector while there are fewer workers than
 * processors. ERR_USAGE: the plan's lists name a processor that this process may not use, or leave
 * none. Call it before any thread is pinned.
 */
int placement_choose(const struct plan *plan, unsigned number, int *cpu, struct err *e);

/*
 * Returns the processor that the plan assigns to the kernel's own thread for the I/O of worker
 * `number` (SQPOLL); -1: the plan assigns none.
 */
int placement_kernel_cpu(const struct plan *plan, unsigned number);

/* Returns the processor time of the calling thread so far. */
uint64_t placement_cpu_ns(void);

/* Locks this memory; NULL: all currently mapped memory. Returns false if that is not permitted. */
bool placement_lock_memory(const void *begin, size_t length);

/* Returns the number of processors for workers of this plan, at least 1. */
unsigned placement_processors(const struct plan *plan);

#endif
