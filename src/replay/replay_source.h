/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace as the source of requests of several workers.
 *
 * A thread of its own reads the trace, maps each event to the target (replay/replay_source.h) and
 * puts it into the ring of one worker. Where times are kept (open) events are dealt out in turn;
 * where dependencies are kept (replay/internal.h) the events of one process go to one worker. The
 * thread is REPLAY_AHEAD requests ahead, of all workers together, and sleeps while the rings are
 * full: memory does not depend on the trace's length. If it falls behind, requests become late, and
 * `starved_ns` says how much of that is its doing. A worker never waits for it, takes no lock and
 * makes no system call here.
 *
 * Writes are issued as reads, and flushes are left out, unless the plan allows writes. Discards are
 * left out always: no replay brings back the data that they take away.
 *
 * Owner: the session opens it, makes one source a worker of it, and closes it after the workers.
 * All functions but the sources' are for the session's thread.
 */
#ifndef CUPEL_REPLAY_REPLAY_SOURCE_H
#define CUPEL_REPLAY_REPLAY_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/loop/request_source.h"
#include "run/plan/plan.h"
#include "trace/trace.h"

/*
 * Where an event of a trace goes on the target: pure arithmetic.
 *
 * The devices of a trace lie one after the other in one address space, each with the extent that
 * is known of it. A device that appears later than that lies after all the others.
 *
 *   wrap   Each device has a share of the target, as large as its extent is of the whole; an
 *          address beyond the share is taken modulo the share. One device has all of the target.
 *   fold   An address beyond the target's end is taken modulo the target's size.
 *   scale  The address space is shrunk or stretched to the target's size, so that distances
 *          between requests shrink or grow with it; requests keep their length.
 *   none   Addresses stay as they are; a request that does not fit is left out.
 *
 * Offsets are rounded down and lengths up to whole blocks. Of wrap and fold, the size that is taken
 * modulo is a multiple of 4 KiB where the target is not tiny, and scale keeps the alignment that an
 * offset had, up to 4 KiB: requests that were aligned stay aligned. A request that would reach over
 * the end of its room is moved back, so that it ends there.
 */

/* A part of the trace's address space, and of the target. Bytes. */
struct replay_place {
    uint64_t begin, size;
};

struct replay_map {
    enum replay_mapping mapping;
    uint64_t target_size; /* bytes, whole blocks */
    uint64_t room;        /* the part of it that wrap, fold and scale use: whole alignment units */
    uint32_t block;       /* logical block of the target */
    uint64_t extent;      /* of the trace's address space */
    size_t devices;       /* known ones */
    struct replay_place device[TRACE_DEVICES_MAX]; /* in the trace's address space */
    struct replay_place share[TRACE_DEVICES_MAX];  /* of the target, for wrap */
};

/*
 * `sizes[0..devices)` are the devices' extents; one of 0 has nothing there. A target of less than
 * one block is ERR_USAGE. `block` 0 counts as 1.
 */
int replay_map_init(struct replay_map *map, enum replay_mapping mapping, uint64_t target_size,
                    uint32_t block, const uint64_t sizes[], size_t devices, struct err *e);

/*
 * Where a read or write goes. False: it cannot be placed, because it is longer than the target or,
 * without mapping, reaches beyond it. Neither offset nor length is ever outside the target.
 */
bool replay_map(const struct replay_map *map, const struct trace_event *event, uint64_t *offset,
                uint32_t *length);

#define REPLAY_AHEAD       65536u /* requests read ahead, and events looked at before the start */
#define REPLAY_TARGETS_MAX 16u

/* Events that the reader saw, and requests that the workers took. */
struct replay_counts {
    uint64_t events;                   /* of the trace so far, those of the other level left out */
    uint64_t level_left_out;           /* events of the other level */
    uint64_t foreign;                  /* events of the level that the recorded program did not hand
                                          in; left out, unless all are replayed */
    uint64_t requests;                 /* that were made of them (a long one is split) */
    uint64_t taken;                    /* of these, by the workers */
    uint64_t split;                    /* events made into several requests */
    uint64_t turned_reads;             /* writes issued as reads */
    uint64_t left_out[TRACE_OPS];      /* events not issued: flushes, discards */
    uint64_t unplaced, unplaced_first; /* events that do not fit the target; the number of the
                                          first one, valid when unplaced > 0 */
    uint64_t starved_ns; /* time in which a worker had nothing only because of the reader */
    uint64_t span_ns;    /* from the first event to the last, in the trace's own time */
    bool ended;          /* the whole trace was read, and every request of it taken */
};

struct replay;

/* Whoever waits while the trace is surveyed; every member may be NULL. */
struct replay_watch {
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, double share); /* of reading the whole trace once, if needed */
    void *context;
};

/*
 * Open the trace of the plan and look ahead into it, so that replay_largest, replay_writes and the
 * devices' extents are known before the target is opened. A file is read to its end for that where
 * its first events do not show the extents and the mapping needs them, and where a bad event
 * must be found before anything is issued (strict). Of a pipe, the events of two seconds.
 * `watch` may be NULL. ERR_USAGE: it cannot be read, or holds nothing to issue. ERR_UNDECIDED:
 * stopped.
 */
int replay_open(struct replay **opened, const struct plan *plan, const struct replay_watch *watch,
                struct err *e);

/* The longest request that will be made: the size of a buffer. A power of two. */
uint32_t replay_largest(const struct replay *r);

/* May it write? Only when that is allowed, and unless the whole trace is known to hold no write. */
bool replay_writes(const struct replay *r);

/*
 * Decide the mapping for targets of these sizes, and start the reader. Device i of the trace goes
 * to target i modulo `targets`; workers are dealt out to targets the same way, and there is at
 * least one for each. `observer` (copied; NULL: none) is called by the reader's thread with every
 * event that is to be issued and its due time (that of the trace where there are none, as fast as
 * possible), in order (replay/fidelity.h). Returns when the workers' rings are filled. ERR_USAGE:
 * cannot be mapped. ERR_MACHINE: no memory.
 */
struct replay_observer {
    void (*event)(void *context, const struct trace_event *event, uint64_t due_ns);
    void *context;
};
struct replay_targets {
    const uint64_t *sizes; /* bytes, as far as they may be used */
    unsigned count;
    uint32_t block;           /* offsets and lengths have to be multiples of it */
    unsigned first_processor; /* of worker 0 (loop/placement.h): the reader keeps off theirs */
};
int replay_start(struct replay *r, const struct replay_targets *targets, unsigned workers,
                 const struct replay_observer *observer, struct err *e);

/* Of one worker; request offsets are within that worker's target. A replay has one round. */
struct request_source replay_source(struct replay *r, unsigned worker);

/* How far the workers are, 0..1; NaN: unknown. */
double replay_done_share(const struct replay *r);

/*
 * How late the workers are for the trace's due times, and how long the replay still takes by them:
 * until the last one while it is on time; from the one that waits longest on, at least, when it is
 * late. Of a trace that is not read to its end yet, the last due time is judged by its bytes.
 * False: there are no due times (as fast as possible, dependencies), or no end is known (a pipe).
 */
struct replay_schedule {
    double late_seconds, left_seconds;
};
bool replay_schedule(const struct replay *r, double elapsed_seconds, struct replay_schedule *s);

/* End the reader; one that waits for a pipe is left waiting. Requests taken so far stay counted.
 */
void replay_stop(struct replay *r);

/* Valid until replay_close; replay_counts for the moment, the others once the replay has ended or
   was stopped. */
const struct replay_counts *replay_counts(struct replay *r);
const struct err *replay_error(const struct replay *r); /* strict, a damaged file; ERR_NONE: none */
const struct trace *replay_trace(const struct replay *r);

/*
 * Describe what was done with the trace's events: a line each, warnings where the replay is not the
 * trace. Stops the reader.
 */
void replay_describe(struct replay *r, void (*note)(void *context, bool warning, const char *words),
                     void *context);

/* Stops the reader and frees everything. NULL is nothing. */
void replay_close(struct replay *r);

#endif
