/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/replay share. */
#ifndef CUPEL_REPLAY_INTERNAL_H
#define CUPEL_REPLAY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "generator/generators.h"
#include "replay/replay_source.h"

/* ---- replay_order ---- */

/*
 * Replay that keeps dependencies (--closed): when the next request of each process is due.
 *
 * The rule, for each process of the trace (a device, where the trace has no processes): a request
 * depends on those before it that had completed when it was issued. It is due its original think
 * time after the last of these completes in the replay, the think time being the gap between the
 * last of these completions and its issue in the trace, divided by the speed. Requests that were in
 * flight together depend on nothing of each other and keep their overlap: where nothing has
 * completed since the request before it, a request is due the original gap after that one was due.
 * No request is due before one that stood before it in the trace. So a process keeps its order, its
 * queue depth and its think times, and the target's speed decides the rest.
 *
 * Where the trace has no response time of a request, it counts as completed at its issue: such
 * requests follow each other one by one, each the original gap after the completion of the one
 * before. The first request of a process is due at its own time in the trace.
 *
 * Tables are of fixed size. When all entries are in use, or more processes active than there are
 * slots, nothing can be added until requests complete. A process whose slot was taken by another
 * while it was idle counts as a new one when it comes again.
 *
 * Pure, no clock; times are ns, of the trace or since the replay's begin. One thread; the worker's.
 */

/* A request as the reader of the trace hands it on: an event, or a part of a long one. */
struct replay_entry {
    uint64_t time_ns; /* when it was issued: in the trace; where times are kept, in the replay */
    uint64_t end_ns;  /* when it had completed, in the trace; time_ns where that is not known */
    uint64_t offset;  /* bytes */
    uint32_t length;
    uint32_t process; /* who waits for it: any number that is the process's own */
    uint32_t event;   /* of which event it is a part: parts do not wait for each other */
    uint8_t op;       /* enum io_op */
};

struct replay_order;

size_t replay_order_bytes(unsigned entries, unsigned processes);

/* `speed` 0: nobody thinks. NULL: the arena is used up. */
struct replay_order *replay_order_new(unsigned entries, unsigned processes, double speed,
                                      struct arena *arena);

/* Entries come in the order of the trace. False: there is no room; the same one is to come again,
   before any other, after a completion. */
bool replay_order_add(struct replay_order *o, const struct replay_entry *entry);

/* The earliest request whose instant is known; false: there is none now. Its tag is for completed.
 */
bool replay_order_peek(const struct replay_order *o, struct generated_request *next);
void replay_order_take(struct replay_order *o);
void replay_order_completed(struct replay_order *o, uint64_t tag, uint64_t completed_ns);

/* Entries added and not taken. */
unsigned replay_order_waiting(const struct replay_order *o);

/* Requests due by now_ns and not taken, as far as their instants are known. */
uint64_t replay_order_backlog(const struct replay_order *o, uint64_t now_ns);

/* ---- the replay: shared by the reader's thread, the workers and the session ---- */

/*
 * A ring has one writer, the reader, and one taker, a worker. The mutex guards everything else that
 * two threads touch; no worker takes it.
 */

enum { LEVELS = 2 };

/* One worker's requests on their way from the reader. */
struct replay_ring {
    struct replay_entry *entries;
    uint64_t capacity;                  /* a power of two */
    _Alignas(64) _Atomic uint64_t head; /* taken out by the worker */
    uint64_t tail_seen;                 /* the worker's: what it knows of tail */
    _Alignas(64) _Atomic uint64_t tail; /* put in by the reader */
    uint64_t head_seen;                 /* the reader's: what it knows of head */
};

struct replay_worker {
    struct replay *replay;
    struct replay_ring ring;
    struct replay_order *order; /* dependencies are kept; else NULL */
    uint64_t starving_since_ns; /* UINT64_MAX: it is not */
    _Atomic uint64_t starved_ns, taken;
    _Atomic uint64_t next_due_ns; /* of the request that is taken next; UINT64_MAX: none is known */
};

/* The properties of the first events, or of all. */
struct replay_survey {
    struct trace_event *events; /* REPLAY_AHEAD */
    size_t count;
    bool whole;              /* `events` are all there are */
    bool all_seen;           /* the members below are of all events, not of the first ones only */
    uint64_t seen[LEVELS];   /* reads, writes and flushes */
    uint64_t writes[LEVELS]; /* writes and flushes */
    uint64_t own[LEVELS];    /* of `seen`, by the recorded program where one was recorded */
    uint32_t largest[LEVELS];
    uint64_t end[LEVELS][TRACE_DEVICES_MAX];
    uint64_t size[TRACE_DEVICES_MAX]; /* as the trace says, or 0 */
    size_t devices;
};

struct replay {
    struct plan plan;
    bool is_file; /* it can be read twice */
    struct replay_survey survey;
    unsigned level; /* enum trace_level */
    bool own_only;  /* requests of other programs are left out */
    uint32_t largest;

    /* for the reader, set before it is started */
    struct arena memory;
    struct replay_worker *workers;
    unsigned worker_count;
    struct replay_map *maps; /* of each target */
    unsigned target_count;
    unsigned turn[REPLAY_TARGETS_MAX]; /* of each target's workers, in turn */
    struct replay_observer observer;
    uint32_t event; /* number of the event that is handed out */

    /* the reader's */
    struct trace *trace, *again; /* the one that is replayed; a second look at all of it */
    uint8_t device_wanted[TRACE_DEVICES_MAX]; /* enum in replay_survey.c; the same in both */
    struct replay_counts counts;
    uint64_t first_ns;

    pthread_t thread;
    bool has_thread;
    _Atomic bool stop;            /* the reader is to end */
    _Atomic bool ended;           /* nothing more will be put into any ring */
    _Atomic double progress;      /* of reading the file, 0..1; NaN: unknown */
    _Atomic uint64_t last_due_ns; /* of the requests that were read so far */

    /* guarded by the mutex, as `survey` and `level` are until `surveyed` */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool surveyed; /* the session has, or the reader found, enough to know what comes */
    bool started;  /* the rings are there */
    bool primed;   /* ... and filled, as far as there is something */
    bool done;     /* the thread is at its end */
    bool left;     /* by the session, which could not wait for the thread */
    struct err error;
    struct replay_counts published; /* counts, now and then and at the end */
    struct replay_counts shown;     /* what replay_counts gives, the session's */
};

/* replay_reader.c: the thread. `argument` is the struct replay, which it frees at its end if the
   session has left it. */
void *replay_reader_main(void *argument);
void replay_free(struct replay *r); /* no thread is left */

/* replay_survey.c, called by the reader's thread. */

/* Read ahead as far as there is room, then look at the whole trace where that is needed. */
int replay_survey_ahead(struct replay *r, struct err *e);

/* Move the events of devices that are replayed to the begin; returns how many there are. */
size_t replay_keep_wanted(struct replay *r, const struct trace *t, struct trace_event events[],
                          size_t count);

/* The level that the plan asks for, or that was seen. `range`: words for how far it was looked.
   ERR_USAGE: nothing of it was seen. */
int replay_choose_level(unsigned *level, const struct plan *plan, const uint64_t seen[LEVELS],
                        const char *range, struct err *e);

/* How far reading `t` is, for the session. */
void replay_progress(struct replay *r, const struct trace *t);

/* Can it be read twice? */
bool replay_is_file(const char *path);

/* Decide the level with what was seen, and the longest request. ERR_USAGE: nothing to issue. */
int replay_survey_conclude(struct replay *r, struct err *e);

/* Open the plan's trace. *t is NULL after an error. */
int replay_trace_open(struct trace **t, const struct plan *plan, struct err *e);

#endif
