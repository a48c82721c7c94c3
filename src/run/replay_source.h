/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace as the source of requests of several workers.
 *
 * A thread of its own reads the trace, maps each event to the target (run/replay_map.h) and puts it
 * into the ring of one worker. Where times are kept (open) events are dealt out in turn; where
 * dependencies are kept (run/replay_order.h) the events of one process go to one worker. The thread
 * is REPLAY_AHEAD requests ahead, of all workers together, and sleeps while the rings are full:
 * memory does not depend on the trace's length. If it falls behind, requests become late, and
 * `starved_ns` says how much of that is its doing. A worker never waits for it, takes no lock and
 * makes no system call here.
 *
 * Writes are issued as reads, and flushes are left out, unless the plan allows writes. Discards are
 * left out always: what they take away no replay brings back.
 *
 * Owner: the session opens it, makes one source a worker of it, and closes it after the workers.
 * All functions but the sources' are for the session's thread.
 */
#ifndef CUPEL_RUN_REPLAY_SOURCE_H
#define CUPEL_RUN_REPLAY_SOURCE_H

#include <signal.h>

#include "run/plan.h"
#include "run/replay_map.h"
#include "run/request_source.h"
#include "trace/trace.h"

#define REPLAY_AHEAD       65536u /* requests read ahead, and events looked at before the start */
#define REPLAY_TARGETS_MAX 16u

/* What the reader saw and the workers took. */
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

/* Who waits while the trace is looked at; every member may be NULL. */
struct replay_watch {
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, double share); /* of reading the whole trace once, if needed */
    void *context;
};

/*
 * Open the trace of the plan and look ahead into it, so that replay_largest, replay_writes and the
 * devices' extents are known before the target is opened. A file is read to its end for that where
 * its first events do not tell the extents and the mapping asks for them, and where a bad event
 * must be found before anything is issued (strict). Of a pipe, what comes within two seconds.
 * `watch` may be NULL. ERR_USAGE: it cannot be read, or holds nothing to issue. ERR_UNDECIDED:
 * stopped.
 */
int replay_open(struct replay **r, const struct plan *plan, const struct replay_watch *watch,
                struct err *e);

/* The longest request that will be made: what a buffer must hold. A power of two. */
uint32_t replay_largest(const struct replay *r);

/* May it write? Only when that is allowed, and unless the whole trace is known to hold no write. */
bool replay_writes(const struct replay *r);

/*
 * Decide the mapping for targets of these sizes, and start the reader. Device i of the trace goes
 * to target i modulo `targets`; workers are dealt out to targets the same way, and there is at
 * least one for each. `observer` (copied; NULL: none) is called by the reader's thread with every
 * event that is to be issued and its due time (that of the trace where there are none, as fast as
 * possible), in order (run/fidelity.h). Returns when the workers' rings are filled. ERR_USAGE:
 * cannot be mapped. ERR_MACHINE: no memory.
 */
struct replay_observer {
    void (*event)(void *context, const struct trace_event *event, uint64_t due_ns);
    void *context;
};
struct replay_targets {
    const uint64_t *sizes; /* bytes, as far as they may be used */
    unsigned count;
    uint32_t block; /* what offsets and lengths have to be multiples of */
};
int replay_start(struct replay *r, const struct replay_targets *targets, unsigned workers,
                 const struct replay_observer *observer, struct err *e);

/* Of one worker; request offsets are within that worker's target. A replay has one round. */
struct request_source replay_source(struct replay *r, unsigned worker);

/* How far the workers are, 0..1; NaN: unknown. */
double replay_done_share(const struct replay *r);

/* End the reader; one that waits for a pipe is left waiting. What was taken so far stays counted.
 */
void replay_stop(struct replay *r);

/* Valid until replay_close; replay_counts for the moment, the others once the replay has ended or
   was stopped. */
const struct replay_counts *replay_counts(struct replay *r);
const struct err *replay_error(const struct replay *r); /* strict, a damaged file; ERR_NONE: none */
const struct trace *replay_trace(const struct replay *r);

/*
 * Say in words what became of the trace's events: a line each, warnings where the replay is not the
 * trace. Stops the reader.
 */
void replay_tell(struct replay *r, void (*note)(void *context, bool warning, const char *words),
                 void *context);

/* Stops the reader and frees everything. NULL is nothing. */
void replay_close(struct replay *r);

#endif
