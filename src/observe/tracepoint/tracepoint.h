/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel tracepoints through perf_event_open: which there are, their fields, and their events as
 * they happen, in rings that the kernel fills, one for each processor. Nothing of the machine is
 * changed: when the file descriptors are closed, by whatever death, all is as it was.
 *
 * Owner: who opens closes. One thread reads at a time.
 */
#ifndef CUPEL_OBSERVE_TRACEPOINT_TRACEPOINT_H
#define CUPEL_OBSERVE_TRACEPOINT_TRACEPOINT_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The kernel's description of a tracepoint's record (a "format" file): its number and fields. */

/* Where a field lies in the record. size 0: there is no such field. */
struct tracepoint_field {
    uint16_t offset, size;
    bool is_signed;
};

/* The number after "ID:", which every record of the tracepoint begins with; -1: there is none. */
int format_number(const char *text);

/* "field:unsigned int bytes; offset:28; size:4; signed:0;" for the name "bytes". */
struct tracepoint_field format_field(const char *text, const char *name);

#define TRACEPOINT_REQUESTS_MAX 8

/* What a program in the kernel wrote (observe/tracepoint/io_call.h), in place of a tracepoint's
 * index. */
#define TRACEPOINT_OUTPUT TRACEPOINT_REQUESTS_MAX

/* The first two bytes of what such a program writes; tracepoints have their number there. */
#define TRACEPOINT_OUTPUT_MARK 0xffff

/* One event as the ring has it. `raw` is valid until the next call. */
struct tracepoint_event {
    unsigned tracepoint;      /* index of those that were asked for, or TRACEPOINT_OUTPUT */
    uint64_t time_ns;         /* CLOCK_MONOTONIC_RAW */
    uint32_t process, thread; /* who was running */
    const unsigned char *raw;
    uint32_t raw_size;
};

struct tracepoint_request {
    const char *system, *name; /* "block", "block_rq_issue" */
    const char *filter;        /* in the kernel's words: "dev == 8388624", or NULL */
    bool optional;             /* a kernel that has no such tracepoint will do */
};

struct tracepoints;

struct tracepoints_setup {
    const struct tracepoint_request *requests;
    size_t count;        /* up to TRACEPOINT_REQUESTS_MAX; 0 with outputs only */
    bool outputs;        /* programs in the kernel write to the rings too */
    size_t ring_bytes;   /* of each processor, a power of two of pages */
    const char *tracefs; /* NULL: found, or mounted where no other process sees it */
};

/* ERR_MACHINE: no such tracepoint, not permitted (says what would permit it), no memory. */
int tracepoints_open(struct tracepoints **t, const struct tracepoints_setup *setup, struct err *e);
void tracepoints_close(struct tracepoints *t);

/* Begin and stop the events of all at once. */
void tracepoints_enable(struct tracepoints *t);
void tracepoints_disable(struct tracepoints *t);

struct tracepoint_field tracepoint_field(const struct tracepoints *t, unsigned tracepoint,
                                         const char *name);

/* Up to eight bytes of the event; 0 for a field that there is not. */
uint64_t tracepoint_value(const struct tracepoint_event *event, struct tracepoint_field field);

/* Processors that can be there, and the descriptor that a program's output on one of them goes to
   (-1: the processor is not there). */
size_t tracepoints_processors(const struct tracepoints *t);
int tracepoints_output(const struct tracepoints *t, size_t processor);

/*
 * The next event of all processors in order of time, as far as order is certain: events of the last
 * millisecond wait until `final`. False: none now; wait with tracepoints_wait.
 */
bool tracepoints_next(struct tracepoints *t, bool final, struct tracepoint_event *event);

/* Until a ring is filled by a quarter, one of others[0..count) (at most 8) is ready, or the time is
   over. Sets `revents` of the others. */
void tracepoints_wait(struct tracepoints *t, struct pollfd others[], size_t count,
                      int milliseconds);

/* Events that happened and were not given out: a ring was full, or the kernel did not put them
   there (see awake_begin). Right once tracepoints_next has given out the last one. */
uint64_t tracepoints_lost(const struct tracepoints *t);

/*
 * Keeping processors awake: one thread on each that only runs where nobody else wants to
 * (SCHED_IDLE), and looks at a flag.
 *
 * Linux counts the events that happen while a processor sleeps, as completions of I/O do on a quiet
 * machine, but of tracepoints it was seen (6.18) to put none of them into the ring, and to call
 * none of them lost. A processor that has something to run records all of them. The price:
 * processors that would sleep use power, and share what they share with their neighbours.
 *
 * Owner: who called awake_begin calls awake_end, in the same thread.
 */

#define AWAKE_MAX 1024

struct awake {
    atomic_bool over;
    unsigned count;
    pthread_t threads[AWAKE_MAX];
};

/* On every processor that this process may use. What cannot be started is left out: events of that
   processor may be missing, which tracepoints_lost counts. */
void awake_begin(struct awake *a);
void awake_end(struct awake *a);

#endif
