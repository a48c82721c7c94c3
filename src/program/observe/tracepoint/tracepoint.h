/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel tracepoints through perf_event_open: which tracepoints exist, their fields, and their
 * events, in rings that the kernel fills, one for each processor. The machine is not changed: when
 * the file descriptors are closed, no matter how the process ends, everything is as before.
 *
 * The code that opens the tracepoints closes them. One thread reads at a time.
 */
#ifndef CUPEL_PROGRAM_OBSERVE_TRACEPOINT_TRACEPOINT_H
#define CUPEL_PROGRAM_OBSERVE_TRACEPOINT_TRACEPOINT_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The kernel's description of a tracepoint's record (a "format" file): the tracepoint's number and
   the fields. */

/* The place of a field in the record; size 0: there is no such field. */
struct tracepoint_field {
    uint16_t offset, size;
    bool is_signed;
};

/* Returns the number after "ID:", with which every record of the tracepoint begins; -1: there is no
   number. */
int format_number(const char *text);

/* Finds a field by its name, such as "bytes" in the line "field:unsigned int bytes; offset:28;
   size:4; signed:0;". */
struct tracepoint_field format_field(const char *text, const char *name);

#define TRACEPOINT_REQUESTS_MAX 8

/* The index that a record of a kernel program has in place of a tracepoint's index
   (program/observe/tracepoint/io_call.h). */
#define TRACEPOINT_OUTPUT TRACEPOINT_REQUESTS_MAX

/* The first two bytes of such a record, where records of tracepoints have the tracepoint's number.
 */
#define TRACEPOINT_OUTPUT_MARK 0xffff

/* One event from the ring. `raw` is valid until the next call. */
struct tracepoint_event {
    unsigned tracepoint;      /* index of a requested tracepoint, or TRACEPOINT_OUTPUT */
    uint64_t time_ns;         /* time on CLOCK_MONOTONIC_RAW */
    uint32_t process, thread; /* the process and the thread that were running */
    const unsigned char *raw;
    uint32_t raw_size;
};

struct tracepoint_request {
    const char *system, *name; /* names such as "block" and "block_rq_issue" */
    const char *filter;        /* a filter in the kernel's syntax: "dev == 8388624", or NULL */
    bool optional;             /* the tracepoint may be missing in this kernel */
};

struct tracepoints;

struct tracepoints_setup {
    const struct tracepoint_request *requests;
    /* number of requests, up to TRACEPOINT_REQUESTS_MAX; may be 0 with outputs */
    size_t count;
    bool outputs;        /* kernel programs write to the rings as well */
    size_t ring_bytes;   /* bytes of each processor's ring, a power of two of pages */
    const char *tracefs; /* NULL: it is searched for, or mounted where no other process sees it */
};

/* Opens the rings and the events. ERR_MACHINE: no such tracepoint, not permitted (the message says
   what would permit it), no memory. */
int tracepoints_open(struct tracepoints **t, const struct tracepoints_setup *setup, struct err *e);
void tracepoints_close(struct tracepoints *t);

/* Start and stop the events of all tracepoints at once. */
void tracepoints_enable(struct tracepoints *t);
void tracepoints_disable(struct tracepoints *t);

struct tracepoint_field tracepoint_field(const struct tracepoints *t, unsigned tracepoint,
                                         const char *name);

/* Returns the value of a field of up to eight bytes; 0 if there is no such field. */
uint64_t tracepoint_value(const struct tracepoint_event *event, struct tracepoint_field field);

/* tracepoints_processors returns the number of possible processors. tracepoints_output returns the
   descriptor for a kernel program's output on one of them; -1: it is not online. */
size_t tracepoints_processors(const struct tracepoints *t);
int tracepoints_output(const struct tracepoints *t, size_t processor);

/*
 * Gets the next event of all processors in order of time. Events of the last millisecond wait until
 * `final`, because their order is not certain. False: there is no event now; wait with
 * tracepoints_wait.
 */
bool tracepoints_next(struct tracepoints *t, bool final, struct tracepoint_event *event);

/* Waits until a ring is a quarter full, one of others[0..count) (at most 8) is ready, or the time
   is over. Sets `revents` of the others. */
void tracepoints_wait(struct tracepoints *t, struct pollfd others[], size_t count,
                      int milliseconds);

/* Returns the number of events that happened and were not returned, because a ring was full or the
   kernel did not put them there (see awake_begin). Correct once tracepoints_next has returned the
   last event. */
uint64_t tracepoints_lost(const struct tracepoints *t);

/*
 * Keeps processors awake: a thread on each processor that runs only when nothing else wants to
 * (SCHED_IDLE), and polls a flag.
 *
 * Linux counts the events that happen while a processor sleeps, such as completions of I/O on a
 * quiet machine. But for tracepoints it was observed (6.18) that none of them came into the ring,
 * and that none was reported as lost. A processor that has something to run records all of them.
 * The price: processors that would sleep use power, and compete for resources that they share with
 * their neighbours.
 *
 * The code that called awake_begin must call awake_end, in the same thread.
 */

#define AWAKE_MAX 1024

struct awake {
    atomic_bool over;
    unsigned count;
    pthread_t threads[AWAKE_MAX];
};

/* Starts a thread on every processor that this process may use. If one cannot be started, it is
   left out: events of that processor may be missing, which tracepoints_lost counts. */
void awake_begin(struct awake *a);
void awake_end(struct awake *a);

#endif
