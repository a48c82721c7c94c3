/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A group: the workers of one workload and the collector that serves them.
 *
 * The thread that calls group_run_round is the collector while the round lasts. Memory is the
 * arena's.
 */
#ifndef CUPEL_RUN_LOOP_WORKER_GROUP_H
#define CUPEL_RUN_LOOP_WORKER_GROUP_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "run/loop/worker.h"
#include "run/measurement/measurement.h"
#include "run/plan/plan.h"
#include "stat/basic/busy.h"

/*
 * A thread that does nothing but sleep for a moment, again and again, and so knows when the program
 * was away: stopped by a signal or a frozen group, in a virtual machine that was paused, on a
 * machine that slept. It touches neither the target nor the record, so a target that answers
 * nothing does not delay it; and where it waited because others had the processors, the kernel says
 * so (run delay), and that is no suspension.
 *
 * Time up to heartbeat_vouched is known: every gap that begins before it is in `gaps`. One writer,
 * the thread; any reader.
 */

/* As often as the collector looks: the time that it waits for is vouched for by then. */
#define HEARTBEAT_NS 20000000u

/*
 * A machine that is awake wakes a sleeper within milliseconds, once the time is taken off that it
 * waited for a processor; hypervisors and firmware take some tens. A stop shorter than this cannot
 * be distinguished from these, and counts as a stall.
 */
#define SUSPENSION_MIN_NS 100000000u

#define HEARTBEAT_GAPS 64

/* One look at all clocks. */
struct heartbeat_beat {
    uint64_t begin, end; /* ticks: before and after the look */
    /* in which this thread waited for a processor, so far: before and after the look; 0: unknown
     */
    uint64_t run_delay_ns, run_delay_end_ns;
    int64_t machine_slept_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
};

/* The program was away between two beats, for `seconds` of them. */
struct heartbeat_gap {
    uint64_t begin, end; /* ticks: of the two beats */
    uint64_t waited;     /* ticks: at its end the thread may have waited so long for a processor */
    double seconds;
};

struct heartbeat {
    const struct clock *clock;
    pthread_t thread;
    bool started;
    atomic_bool quit;
    int schedstat;                             /* the thread's own, or -1 */
    struct heartbeat_gap gaps[HEARTBEAT_GAPS]; /* a later one than these prolongs the last */
    atomic_uint gap_count;
    _Atomic uint64_t vouched;    /* ticks */
    atomic_bool clock_went_back; /* the cycle counter did not survive the machine's sleep */
};

/* `clock` stays the caller's. On -1 nothing runs. */
int heartbeat_start(struct heartbeat *h, const struct clock *clock, struct err *e);
void heartbeat_stop(struct heartbeat *h);

/* Is there a suspension between two beats that were to be HEARTBEAT_NS apart? */
bool heartbeat_is_gap(const struct clock *clock, const struct heartbeat_beat *before,
                      const struct heartbeat_beat *after, struct heartbeat_gap *gap);

static inline uint64_t heartbeat_vouched(const struct heartbeat *h)
{
    return atomic_load_explicit(&h->vouched, memory_order_acquire);
}

/* Sleep until all time up to now is vouched for. */
void heartbeat_wait(const struct heartbeat *h);

/*
 * The effect of a suspension of this program on a round: the intervals that it reaches into are
 * void, and so are those after it whose I/O had begun before its end, for their times contain it,
 * and those in which nothing completed before such I/O did.
 *
 * The heartbeat finds gaps; a gap is a suspension only if no worker completed an I/O in it. A
 * target that stalls does not hold up the heartbeat, and is measured. It belongs to the collector,
 * which asks before it makes a batch of an interval.
 */
struct suspension {
    const struct heartbeat *heartbeat; /* NULL: nothing is ever void */
    /* Called for each suspension by the collector; may be NULL. */
    void (*report)(void *context, const struct heartbeat_gap *gap);
    void *context;
    bool ends_round;      /* nothing after the first one counts */
    bool all_vouched;     /* all that workers have handed over was vouched for */
    uint64_t begin_ticks; /* of the round */
    unsigned next;        /* gap of the heartbeat to be looked at */
    bool active;          /* there is a gap that later intervals may depend on: */
    struct heartbeat_gap gap;
    unsigned count;      /* suspensions in the round */
    uint64_t void_ticks; /* of the round's intervals that are void, ... */
    uint64_t void_end;   /* ... the last one up to here */
};

void suspension_begin_round(struct suspension *s, const struct round_order *order);

/* The interval of the round that ends at `end`: is it known whether it is void? Workers have handed
   over their shares of it. */
bool suspension_is_settled(struct suspension *s, struct worker workers[], unsigned count,
                           uint64_t end);

/* Is the interval void that is settled and has become this batch? */
bool suspension_voids(struct suspension *s, uint64_t begin, uint64_t end, const struct batch *b);

/*
 * The collector: takes intervals and records of the workers and makes batches of them.
 *
 * One thread, the session's own. It never makes a worker wait. The beginning of a round, in which
 * the queues fill, is left out of the slices (unless requests have due times): as long as a slice,
 * and the rest of the slice that this ends in. It stays in the histograms and totals; with several
 * workers, so do I/Os that complete after the round's end. A worker that ends early ends the slices
 * of all. Intervals that a suspension of the program made void become no batches, and of their I/Os
 * the failed ones alone are in the totals.
 */

/* A slice that was not handed out yet, as the records of several workers show it. There is room for
   so many; records of later slices stay in their ring until these are handed out. */
struct collector_slice {
    uint64_t asked_bytes, busy_ticks;
};
#define COLLECTOR_SLICES 1024

/* Intervals whose busy stretches are kept at a time: one is settled before it is handed out only
   where the stretches of several are more than struct busy has room for. Of later ones the busy
   time of slices is all that is known. */
#define COLLECTOR_LISTS 4

struct collector {
    struct worker *workers;
    unsigned count;
    const struct clock *clock;
    uint32_t block_size; /* bytes of every I/O; 0: they differ, and workers count the bytes */
    bool moves_none;     /* requests move no bytes */

    bool whole; /* requests have due times, or are one pass: nothing is left out. The first slice
                   counts, and what completes after the end counts with the last one */

    uint64_t next_interval;            /* of the round, being assembled */
    uint64_t begin_ticks, slice_ticks; /* of slice 0 */
    uint64_t wall_ns;                  /* since 1970, of the same; 0: not known */
    uint64_t interval_ns;
    unsigned slice_span;  /* of its batches; 0: 1 */
    uint64_t first_slice; /* slices of the round before this one are left out, ... */
    uint64_t last_slice;  /* ... and those from this one on */
    struct slice total;   /* of the round, everything */
    uint64_t void_bytes;  /* of the round, moved in intervals that are void */
    struct batch batch;
    struct suspension suspension;

    /* Several workers: the union of the time in which any of them had I/O in flight. */
    struct busy busy;                                 /* ticks; not yet shared out to slices */
    struct busy_list lists[COLLECTOR_LISTS];          /* ticks; by the number of the interval */
    struct batch_stretch stretches[BATCH_STRETCHES];  /* of `batch` */
    struct collector_slice pending[COLLECTOR_SLICES]; /* by the number of the slice in the round */
    uint64_t records;                                 /* seen in the session */
};

void collector_begin_round(struct collector *c, const struct round_order *order);

/* The round ends early, at this instant: the slice that it cuts and later ones are left out. */
void collector_end_round(struct collector *c, uint64_t ticks);

/* Empty the record rings. Often enough, or records are dropped: see collector_pause_ns. */
void collector_drain_records(struct collector *c);

/* The next whole batch, or NULL while a worker has not got there. Valid until the next call. */
const struct batch *collector_next(struct collector *c);

/* How long to sleep before the fullest record ring may be half full, from the last pause's inflow.
 */
uint64_t collector_pause_ns(const struct collector *c, uint64_t records_before, uint64_t pause_ns);

/* ---- collector_stretches.c: for the collector ---- */

static inline struct busy_list *collector_list(struct collector *c, uint64_t interval)
{
    return &c->lists[interval % COLLECTOR_LISTS];
}

/* The stretches of the next interval, of those of its slices that count (bit by bit), into the
   batch. All of its busy time is settled. */
void collector_put_stretches(struct collector *c, const uint64_t busy_ticks[INTERVAL_SLICES],
                             unsigned slices);

struct group {
    struct worker *workers;
    unsigned count;
    const struct clock *clock;
    struct collector *collector;
    struct round_order order;
};

/* What the workers do it to, and with what. */
struct group_setup {
    const struct plan *plan;
    const struct io_ops *ops;
    const struct clock *clock;
    int fd;
    const int *fds; /* or NULL: those of the workers, which have no target in common */
    bool direct;
    bool block_device;                   /* the descriptors are of block devices */
    const struct nvme_namespace *nvme;   /* the target, or NULL */
    const struct net_peer *peer;         /* the far end, or NULL */
    uint64_t region;                     /* bytes from plan->offset on */
    struct zones *zones;                 /* that it consists of; NULL: not by zones */
    const struct write_content *content; /* of writes, outlives the group; NULL: noise */
    struct ledger *ledger; /* writes carry its stamps instead; outlives the group; NULL: they do not
                            */
    enum io_choice sqpoll, iopoll;
    unsigned first_processor; /* of worker 0, counted as in placement_choose */
    bool traced; /* plan->completions: workers have a ring of finished requests, which is read */
    enum io_pass pass; /* of all workers' passes with `fds`, else of the first one's */
    const struct heartbeat *heartbeat; /* or NULL: suspensions are not looked for */
    /* Requests with due times (plan_is_timed): where each worker's come from. */
    struct request_source (*source)(void *context, unsigned worker);
    void *source_context;
};

struct round_request {
    double seconds;
    double slice_seconds;
    unsigned slice_span; /* of the batches: original slices in a slice; 0: 1 */
    bool recording;
    bool counts, traced;               /* see struct round_order */
    bool one_pass;                     /* a suspension of the program ends it */
    const volatile sig_atomic_t *stop; /* may be NULL */
    /* They are called by the calling thread while the round runs; each may be NULL. */
    void (*on_batch)(void *context, const struct batch *batch);
    void (*on_pause)(void *context, double elapsed_seconds);
    void (*on_suspension)(void *context, const struct heartbeat_gap *gap);
    void *context;
};

struct round_outcome {
    double seconds;         /* from the beginning to the last completion, without void time */
    struct slice total;     /* with recording */
    uint64_t counted;       /* I/Os, without recording */
    double overrun_seconds; /* that several workers waited for late I/O, outside all slices */
    double cpu_seconds;     /* of all workers */
    double aside_seconds;   /* the most that one of them set aside (io_backend.aside) */
    unsigned suspensions;   /* of this program, in the round: see suspension.c */
    uint64_t void_bytes;    /* that were moved in void time and are not in `total` */
    bool stuck; /* I/O is still in flight long after the end: the group cannot be stopped */
};

size_t group_bytes(const struct plan *plan);
/* Of how many workers batches have latencies of their own: of several, where --interval is asked
   for, up to MEASUREMENT_JOBS. */
unsigned jobs_kept(const struct plan *plan);
int group_init(struct group *g, const struct group_setup *setup, struct arena *arena,
               struct err *e);

/* Start the threads and open their backends; on -1 nothing runs. */
int group_start(struct group *g, struct err *e);

/* A round begins so long after group_run_round was called. */
uint64_t group_ahead_ns(const struct group *g);

/* -1 when a worker's backend failed (not for single failed I/Os); the outcome is valid all the
 * same. */
int group_run_round(struct group *g, const struct round_request *request,
                    struct round_outcome *outcome, struct err *e);
void group_stop(struct group *g);

/* For on_pause, with what it was called with: the round ends now, as it would have at its planned
   end. */
void group_end_round(struct group *g, double elapsed_seconds);

/* No round comes any more: writes that were stamped and not issued never will be. */
void group_forget_waiting(struct group *g);

/* Summed over the workers, between rounds. */
uint64_t group_records_lost(const struct group *g);

/* The slowest requests of all workers in the rounds that counted, slowest first. */
void group_slowest(const struct group *g, struct slowest *all);

/* The worker that saw the first failure, or NULL. */
const struct worker *group_first_failure(const struct group *g);

/* Failures that devices reported, of all workers together; valid after group_stop as well. */
struct io_statuses group_statuses(const struct group *g);

#endif
