/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/replay share. */
#ifndef CUPEL_RUN_REPLAY_INTERNAL_H
#define CUPEL_RUN_REPLAY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "run/replay/replay_source.h"
#include "source/generator/generators.h"

/* ---- replay_order ---- */

/*
 * Replay that keeps dependencies (--closed): computes when the next request of each process is
 * due.
 *
 * The rule applies to each process of the trace (to each device if the trace has no processes). A
 * request depends on the earlier requests that had completed when it was issued. The request is
 * due one think time after the last of these completes in the replay. The think time is the gap
 * in the trace between the last of these completions and the issue of the request, divided by the
 * speed. Requests that were in flight together do not depend on each other and keep their
 * overlap: if nothing has completed since the request before, a request is due the original gap
 * after that request was due. No request is due before an earlier request of its process. So a
 * process keeps its order, its queue depth and its think times, and the target's speed decides
 * the rest.
 *
 * A request without a response time in the trace counts as completed at its issue. So such
 * requests follow each other one by one, and each is due the original gap after the completion of
 * the request before. The first request of a process is due at its own time in the trace.
 *
 * Tables are of fixed size. If all entries are in use, or more processes are active than there
 * are slots, nothing can be added until requests complete. A process whose slot was reused while
 * it was idle counts as a new process when it returns.
 *
 * Pure, no clock; times are ns, of the trace or since the replay's begin. Only the worker's
 * thread uses it.
 */

/* A request that the reader of the trace passes on: an event, or a part of a long event. */
struct replay_entry {
    /* issue time: time in the trace if dependencies are kept, otherwise due time in the replay */
    uint64_t time_ns;
    uint64_t end_ns; /* completion time in the trace; time_ns if it is not known */
    uint64_t offset; /* bytes */
    uint32_t length;
    /* process to which the request belongs: any number that is unique to the process */
    uint32_t process;
    /* number of the event that the request is a part of; parts of one event do not wait for each
       other */
    uint32_t event;
    uint8_t command; /* enum request_command */
};

struct replay_order;

size_t replay_order_bytes(unsigned entries, unsigned processes);

/* Makes the tables in the arena. With `speed` 0 there are no think times. Returns NULL if the arena
   is used up. */
struct replay_order *replay_order_new(unsigned entries, unsigned processes, double speed,
                                      struct arena *arena);

/* Adds an entry. Entries come in the order of the trace. Returns false if the table is full; the
   caller then adds the same entry again after a completion, before any other entry. */
bool replay_order_add(struct replay_order *o, const struct replay_entry *entry);

/* Gives the earliest request whose instant is known; its tag is for replay_order_completed. Returns
   false if there is none now. */
bool replay_order_peek(const struct replay_order *o, struct generated_request *next);
void replay_order_take(struct replay_order *o);
void replay_order_completed(struct replay_order *o, uint64_t tag, uint64_t completed_ns);

/* Returns the number of entries that were added and not taken. */
unsigned replay_order_waiting(const struct replay_order *o);

/* Returns the number of requests that are known to be due by now_ns and are not taken. */
uint64_t replay_order_backlog(const struct replay_order *o, uint64_t now_ns);

/* ---- the replay: shared by the reader's thread, the workers and the session ---- */

/* A ring has one writer, the reader, and one taker, a worker. The mutex guards all other data that
   two threads use; no worker locks it. */

enum { LEVELS = 2 };

/* The requests of one worker, on their way from the reader. */
struct replay_ring {
    struct replay_entry *entries;
    uint64_t capacity;                  /* a power of two */
    _Alignas(64) _Atomic uint64_t head; /* number of entries that the worker has taken */
    uint64_t tail_seen;                 /* the worker's copy of tail */
    _Alignas(64) _Atomic uint64_t tail; /* number of entries that the reader has put in */
    uint64_t head_seen;                 /* the reader's copy of head */
};

struct replay_worker {
    struct replay *replay;
    struct replay_ring ring;
    struct replay_order *order; /* order of dependent requests; NULL: dependencies are not kept */
    /* instant since which the worker waits for the reader; UINT64_MAX: it does not wait */
    uint64_t starving_since_ns;
    _Atomic uint64_t starved_ns, taken;
    _Atomic uint64_t next_due_ns; /* due time of the next request to be taken; UINT64_MAX:
                                     unknown */
};

/* The properties of the first events, or of all events. */
struct replay_survey {
    struct trace_event *events; /* the first events, up to REPLAY_AHEAD */
    size_t count;
    bool whole;                /* `events` are all events of the trace */
    bool all_seen;             /* the members below cover all events, not only the first ones */
    uint64_t seen[LEVELS];     /* reads, writes, flushes, and discards that are issued */
    uint64_t writes[LEVELS];   /* events of `seen` that are not reads */
    uint64_t discards[LEVELS]; /* discards that are issued */
    /* number of events in `seen` that come from the recorded program, if a program was recorded */
    uint64_t own[LEVELS];
    uint32_t largest[LEVELS];
    uint64_t end[LEVELS][TRACE_DEVICES_MAX];
    uint64_t size[TRACE_DEVICES_MAX]; /* size of each device that the trace states, or 0 */
    size_t devices;
};

struct replay {
    struct plan plan;
    bool is_file; /* the trace can be read twice */
    struct replay_survey survey;
    unsigned level;   /* enum trace_level */
    bool own_only;    /* requests of other programs are left out */
    bool no_discards; /* discards are left out */
    uint32_t largest;

    /* the following members are for the reader, and are set before it is started */
    struct arena memory;
    struct replay_worker *workers;
    unsigned worker_count;
    struct replay_map *maps; /* one for each target */
    unsigned target_count;
    /* index of the worker of each target that gets the next event */
    unsigned turn[REPLAY_TARGETS_MAX];
    struct replay_observer observer;
    uint32_t event; /* number of the event that is being handed out */

    /* used by the reader only */
    /* the trace that is replayed, and the same file opened again to survey all of it */
    struct trace *trace, *again;
    /* for each device UNSEEN, WANTED or UNWANTED (replay_survey.c), in both traces */
    uint8_t device_wanted[TRACE_DEVICES_MAX];
    struct replay_counts counts;
    uint64_t first_ns;

    pthread_t thread;
    bool has_thread;
    _Atomic bool stop;            /* asks the reader to end */
    _Atomic bool ended;           /* no more entries will be put into any ring */
    _Atomic double progress;      /* share of the file that was read, 0..1; NaN: unknown */
    _Atomic uint64_t last_due_ns; /* latest due time of the requests that were read so far */

    /* the following members are guarded by the mutex, which also guards `survey` and `level` until
       `surveyed` is set */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool surveyed; /* the session or the reader knows enough of the trace */
    bool started;  /* the rings exist */
    bool primed;   /* the rings are filled, as far as the trace allows */
    bool done;     /* the thread has finished */
    bool left;     /* the session could not wait for the thread, which now owns the replay */
    struct err error;
    struct replay_counts published; /* copy of `counts`, updated now and then and at the end */
    struct replay_counts shown;     /* what replay_counts returns; used by the session only */
};

/* Returns true if the plan asks for discards to be issued. */
static inline bool plan_replays_discards(const struct plan *p)
{
    return p->replay.allow_writes && !p->replay.skip_discards;
}

/* replay_survey.c, called by the reader's thread. */

/* Reads ahead up to REPLAY_AHEAD events, then surveys the whole trace if that is needed. */
int replay_survey_ahead(struct replay *r, struct err *e);

/* Moves the events of replayed devices to the front. Returns their number. */
size_t replay_keep_wanted(struct replay *r, const struct trace *t, struct trace_event events[],
                          size_t count);

/* Chooses the level that the plan asks for, or the one that was seen. In messages, `range`
   describes the part of the trace that was surveyed, and events of `t` (or NULL) that could not be
   read are named. ERR_USAGE: no event of that level was seen. */
int replay_choose_level(unsigned *level, const struct plan *plan, const uint64_t seen[LEVELS],
                        const struct trace *t, const char *range, struct err *e);

/* Publishes how much of `t` was read, for the session. */
void replay_progress(struct replay *r, const struct trace *t);

/* Returns true if the trace can be read twice. */
bool replay_is_file(const char *path);

/*
 * Decides the level and the longest request from the survey. ERR_USAGE: there is nothing to issue.
 */
int replay_survey_conclude(struct replay *r, struct err *e);

/* Opens the plan's trace. *t is NULL after an error. */
int replay_trace_open(struct trace **t, const struct plan *plan, struct err *e);

#endif
