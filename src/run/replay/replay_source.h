/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace as the source of requests for several workers.
 *
 * A separate thread reads the trace, maps each event to the target (replay_map) and puts it into
 * the ring of one worker. If times are kept (open), the workers get events in turn; if
 * dependencies are kept (run/replay/internal.h), all events of one process go to one worker. The
 * thread reads up to REPLAY_AHEAD requests ahead, for all workers together, and sleeps while the
 * rings are full: memory does not depend on the trace's length. If the thread is too slow,
 * requests become late, and `starved_ns` shows how much of the delay it caused. A worker never
 * waits for it, takes no lock and makes no system call here.
 *
 * Writes are issued as reads, and flushes and discards are left out, unless the plan allows
 * writes.
 *
 * The session opens the replay with replay_open, makes one source for each worker, and closes the
 * replay with replay_close after the workers have ended. Only the session's thread calls these
 * functions, apart from those of the sources.
 */
#ifndef CUPEL_RUN_REPLAY_REPLAY_SOURCE_H
#define CUPEL_RUN_REPLAY_REPLAY_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/loop/request_source.h"
#include "run/plan/plan.h"
#include "source/trace/trace.h"

/*
 * Maps an event of a trace to an address on the target: pure arithmetic.
 *
 * The devices of a trace lie one after the other in one address space, each with its known
 * extent. A device that appears later lies after all the others.
 *
 *   wrap   Each device has a share of the target in proportion to its extent; an
 *          address beyond the share is taken modulo the share. One device has all of the target.
 *   fold   An address beyond the target's end is taken modulo the target's size.
 *   scale  The address space is shrunk or stretched to the target's size, so that distances
 *          between requests shrink or grow with it; requests keep their length.
 *   none   Addresses stay as they are; a request that does not fit is left out.
 *
 * Offsets are rounded down and lengths up to whole blocks. The divisor of wrap and fold is a
 * multiple of 4 KiB unless the target is tiny, and scale keeps the alignment of an offset, up to
 * 4 KiB: aligned requests stay aligned. A discard is made shorter instead: it covers only whole
 * blocks that the trace discards; if there are none, it is left out. A request that would reach
 * beyond the end of its share is moved back to end there.
 */

/* A range in the trace's address space, or on the target. Bytes. */
struct replay_place {
    uint64_t begin, size;
};

struct replay_map {
    enum replay_mapping mapping;
    uint64_t target_size; /* bytes, whole blocks */
    /* size of the part of the target that wrap, fold and scale use, a multiple of the alignment
       unit */
    uint64_t room;
    uint32_t block;  /* logical block of the target */
    uint64_t extent; /* size of the trace's address space */
    size_t devices;  /* number of known devices */
    /* place of each device in the trace's address space */
    struct replay_place device[TRACE_DEVICES_MAX];
    struct replay_place share[TRACE_DEVICES_MAX]; /* each device's share of the target, for wrap */
};

/* `sizes[0..devices)` are the devices' extents; a device with extent 0 has no place. ERR_USAGE: the
   target is smaller than one block. `block` 0 counts as 1. */
int replay_map_init(struct replay_map *map, enum replay_mapping mapping, uint64_t target_size,
                    uint32_t block, const uint64_t sizes[], size_t devices, struct err *e);

/* Maps a read or write. Returns false if it cannot be placed, because it is longer than the target
   or, without mapping, reaches beyond it. Offset and length are never outside the target. */
bool replay_map(const struct replay_map *map, const struct trace_event *event, uint64_t *offset,
                uint32_t *length);

#define REPLAY_AHEAD       65536u /* requests read ahead, and events surveyed before the start */
#define REPLAY_TARGETS_MAX 16u

/* The events that the reader saw, and the requests that the workers took. */
struct replay_counts {
    uint64_t events;         /* events of the replayed level so far */
    uint64_t level_left_out; /* events of the other level */
    /* events of the level that do not come from the recorded program; they are left out unless all
       programs are replayed */
    uint64_t foreign;
    uint64_t requests;                 /* requests made of the events (a long event is split) */
    uint64_t taken;                    /* requests that the workers have taken */
    uint64_t split;                    /* events that became several requests */
    uint64_t turned_reads;             /* writes issued as reads */
    uint64_t left_out[OPERATIONS];     /* events not issued: flushes, discards */
    uint64_t unplaced, unplaced_first; /* events that do not fit the target; number of the first
                                          one, valid if unplaced > 0 */
    uint64_t starved_ns; /* time in which a worker had nothing to do only because of the reader */
    uint64_t span_ns;    /* from the first event to the last, in the trace's own time */
    /* the whole trace was read, and all of its requests were taken by workers */
    bool ended;
};

struct replay;

/* Functions for the caller that waits for the survey; every member may be NULL. */
struct replay_watch {
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, double share); /* share of the second, whole pass over the
                                                      trace, if one is needed */
    void *context;
};

/*
 * Opens the plan's trace and reads ahead, so that replay_largest, replay_writes and the devices'
 * extents are known before the target is opened. A file is read to its end if the mapping needs
 * extents that the first events do not show, or if a bad event must be found before anything is
 * issued (strict). For a pipe, the events of two seconds must suffice. `watch` may be NULL.
 * ERR_USAGE: the trace cannot be read, or holds nothing to issue. ERR_UNDECIDED: stopped.
 */
int replay_open(struct replay **opened, const struct plan *plan, const struct replay_watch *watch,
                struct err *e);

/* Returns the size of the longest request, for a buffer: a power of two. */
uint32_t replay_largest(const struct replay *r);

/* Returns true if the replay may write: writes are allowed, and the trace may contain some, as far
   as it is known. */
bool replay_writes(const struct replay *r);

/* Returns true if the replay may issue discards: they are allowed, and the trace may contain some,
   as far as it is known. */
bool replay_discards(const struct replay *r);
/* Returns true if discards are allowed and the survey found one. */
bool replay_has_discards(const struct replay *r);
/* Leaves out discards that may still come, because the target supports none. To be called before
   replay_start. */
void replay_leave_out_discards(struct replay *r);

/*
 * Decides the mapping for targets of these sizes, and starts the reader. Device i of the trace goes
 * to target i modulo `targets`; workers are assigned to targets in the same way, at least one to
 * each. The reader's thread calls `observer` (copied; may be NULL) with every event that is to be
 * issued, in order, and its due time at the plan's speed, or its time in the trace if the speed is
 * 0 (run/replay/fidelity.h). Returns once the workers' rings are filled. ERR_USAGE: the trace
 * cannot be mapped. ERR_MACHINE: no memory.
 */
struct replay_observer {
    void (*event)(void *context, const struct trace_event *event, uint64_t due_ns);
    void *context;
};
struct replay_targets {
    const uint64_t *sizes; /* usable size of each target in bytes */
    unsigned count;
    uint32_t block;           /* offsets and lengths must be multiples of this number of bytes */
    unsigned first_processor; /* processor of worker 0 (loop/placement.h): the reader avoids
                                 those of the workers */
};
int replay_start(struct replay *r, const struct replay_targets *targets, unsigned workers,
                 const struct replay_observer *observer, struct err *e);

/* Returns the source of one worker. Offsets are within that worker's target. A replay consists of
   one round. */
struct request_source replay_source(struct replay *r, unsigned worker);

/* Returns the share of the trace that the workers have taken, 0..1; NaN: unknown. */
double replay_done_share(const struct replay *r);

/*
 * How late the workers are compared with the trace's due times, and how long the replay will still
 * take. If the workers are on time, it takes until the last due time; if they are late, at least
 * the time from the request that has waited longest to the last request. Before the trace is read
 * to its end, the last due time is estimated from the share of bytes read. Returns false without
 * due times (as fast as possible, dependencies) or without a known end (a pipe).
 */
struct replay_schedule {
    double late_seconds, left_seconds;
};
bool replay_schedule(const struct replay *r, double elapsed_seconds, struct replay_schedule *s);

/* Ends the reader; a reader that waits for a pipe is left waiting. Requests taken so far stay
   counted. */
void replay_stop(struct replay *r);

/* The results are valid until replay_close. replay_counts may be called at any time, the others
   after the replay has ended or was stopped. */
const struct replay_counts *replay_counts(struct replay *r);
/* Returns the error that ended the replay early (the trace file is damaged, or has a line that
   plan.replay.strict forbids); its code is ERR_NONE if there was no error. */
const struct err *replay_error(const struct replay *r);
const struct trace *replay_trace(const struct replay *r);

/* Describes what was done with the trace's events, one line each; differences between replay and
   trace are warnings. Stops the reader. */
void replay_describe(struct replay *r, void (*note)(void *context, bool warning, const char *words),
                     void *context);

/* Stops the reader and frees everything. NULL is allowed. */
void replay_close(struct replay *r);

#endif
