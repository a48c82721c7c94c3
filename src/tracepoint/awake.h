/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeping processors awake: one thread on each that only runs where nobody else wants to
 * (SCHED_IDLE), and looks at a flag.
 *
 * Linux counts the events that happen while a processor sleeps, as completions of I/O do on a quiet
 * machine, but of tracepoints it was seen (6.18) to put none of them into the ring, and to call
 * none of them lost. A processor that has something to run tells all of them. The price: processors
 * that would sleep use power, and share what they share with their neighbours.
 *
 * Owner: who called awake_begin calls awake_end, in the same thread.
 */
#ifndef CUPEL_TRACEPOINT_AWAKE_H
#define CUPEL_TRACEPOINT_AWAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define AWAKE_MOST 1024

struct awake {
    atomic_bool over;
    unsigned count;
    pthread_t threads[AWAKE_MOST];
};

/* On every processor that this process may use. What cannot be started is left out: events of that
   processor may be missing, which tracepoints_lost tells. */
void awake_begin(struct awake *a);
void awake_end(struct awake *a);

#endif
