/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where and how workers run: which processor, which priority, memory that stays in place.
 *
 * Real-time priority is given only where it cannot hurt: a worker that never sleeps meets the
 * kernel's real-time throttling, which stalls it for 50 ms in every second. The session therefore
 * takes it back from workers that a trial round shows to be busy all the time. A timed loop keeps
 * it by sleeping enough (timed_wait.c), for without it others have its processor for milliseconds.
 */
#ifndef CUPEL_RUN_LOOP_PLACEMENT_H
#define CUPEL_RUN_LOOP_PLACEMENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan/plan.h"

/* For the calling thread: pin to `cpu` (-1: leave), ask for SCHED_FIFO; `note` says what failed.
 */
void placement_apply(int cpu, bool realtime, bool *realtime_granted, char *note, size_t size);

/* Ask for real-time priority, the lowest there is, and give a thread ordinary priority again. */
bool placement_begin_realtime(pthread_t thread);
void placement_end_realtime(pthread_t thread);

/*
 * The processor of worker `number`: out of the plan's list, else out of those this process may use,
 * keeping the first one for the collector while there are fewer workers than processors. ERR_USAGE
 * when the plan's lists name one that this process may not use, or leave none. The choice is made
 * before any thread is pinned.
 */
int placement_choose(const struct plan *plan, unsigned number, int *cpu, struct err *e);

/* The processor that the plan has for the kernel's thread of worker `number`; -1: none is asked
 * for.
 */
int placement_kernel_cpu(const struct plan *plan, unsigned number);

/* Processor time of the calling thread so far. */
uint64_t placement_cpu_ns(void);

/* Lock all that is mapped now in memory. False when not permitted. */
bool placement_lock_memory(void);

/* How many processors workers of this plan can have, at least 1. */
unsigned placement_processors(const struct plan *plan);

#endif
