/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A group: the workers of one workload and the collector that serves them.
 *
 * The thread that calls group_run_round is the collector while the round lasts. The memory comes
 * from the arena.
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
#include "stat/basic/busy_time.h"

/*
 * A thread that only sleeps for short times, and so notices when the program was suspended: stopped
 * by a signal or a frozen control group, in a virtual machine that was paused, or on a machine that
 * slept. It uses neither the target nor the session file, so a target that does not answer does not
 * delay it. If it waited because other threads had the processors, the kernel reports that (run
 * delay), and it does not count as a suspension.
 *
 * All gaps that begin before heartbeat_vouched are in `gaps`. One writer, the thread; any reader.
 */

/* Time between two beats. It equals the longest pause of the collector, so that after a pause the
   gaps up to the pause's begin are known. */
#define HEARTBEAT_NS 20000000u

/*
 * The shortest suspension. A machine that is awake wakes a sleeper within milliseconds, apart from
 * the time that it waits for a processor; hypervisors and firmware take some tens of milliseconds.
 * A shorter stop cannot be distinguished from such delays, and counts as a stall.
 */
#define SUSPENSION_MIN_NS 100000000u

#define HEARTBEAT_GAPS 64

/* One beat: a reading of all clocks. */
struct heartbeat_beat {
    uint64_t begin, end; /* ticks before and after the readings */
    /* time so far in which this thread waited for a processor: before and after the readings; 0:
       unknown */
    uint64_t run_delay_ns, run_delay_end_ns;
    int64_t machine_slept_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
};

/* A time between two beats in which the program was suspended, for `seconds`. */
struct heartbeat_gap {
    uint64_t begin, end; /* ticks of the two beats */
    uint64_t waited;     /* ticks: how long the thread may have waited for a processor at the end
                            of the gap */
    double seconds;
};

struct heartbeat {
    const struct clock *clock;
    pthread_t thread;
    bool started;
    atomic_bool quit;
    int schedstat;                             /* file of the thread's own scheduling statistics,
                                                  or -1 */
    struct heartbeat_gap gaps[HEARTBEAT_GAPS]; /* if there are more gaps, the last one is
                                                  extended */
    atomic_uint gap_count;
    _Atomic uint64_t vouched;    /* ticks: all gaps that begin before it are known */
    atomic_bool clock_went_back; /* the cycle counter was reset by the machine's sleep */
};

/* Starts the thread. `clock` must outlive the heartbeat. If the function returns -1, nothing
   runs. */
int heartbeat_start(struct heartbeat *h, const struct clock *clock, struct err *e);
void heartbeat_stop(struct heartbeat *h);

/* Returns true if there is a suspension between two beats that should be HEARTBEAT_NS apart. */
bool heartbeat_is_gap(const struct clock *clock, const struct heartbeat_beat *before,
                      const struct heartbeat_beat *after, struct heartbeat_gap *gap);

static inline uint64_t heartbeat_vouched(const struct heartbeat *h)
{
    return atomic_load_explicit(&h->vouched, memory_order_acquire);
}

/* Sleeps until all gaps up to now are known. */
void heartbeat_wait(const struct heartbeat *h);

/*
 * The effect of suspensions of this program on a round. The intervals that a suspension reaches
 * into are void. A later interval is void, too, if it has I/O that began before the end of the
 * suspension, because the time of that I/O contains it, or if nothing completed in it before such
 * I/O did.
 *
 * The heartbeat finds gaps; a gap is a suspension only if no worker completed an I/O in it. A
 * target that stalls does not hold up the heartbeat, and is measured. The collector owns this
 * struct, and asks it before it makes a batch of an interval.
 */
struct suspension {
    const struct heartbeat *heartbeat; /* NULL: no interval is ever void */
    /* The collector calls it for each suspension; may be NULL. */
    void (*report)(void *context, const struct heartbeat_gap *gap);
    void *context;
    bool ends_round; /* nothing after the first suspension counts */
    /* heartbeat_vouched has reached the end of everything that the workers have published */
    bool all_vouched;
    uint64_t begin_ticks; /* begin of the round */
    unsigned next;        /* next gap of the heartbeat to be judged */
    bool active;          /* `gap` is a suspension that may affect later intervals */
    struct heartbeat_gap gap;
    unsigned count;      /* suspensions in the round */
    uint64_t void_ticks; /* ticks of the round's void intervals */
    uint64_t void_end;   /* end of the last void interval */
};

void suspension_begin_round(struct suspension *s, const struct round_order *order);

/* Returns true if it is known whether the interval that ends at `end` is void. The workers must
   have published their shares of it. */
bool suspension_is_settled(struct suspension *s, struct worker workers[], unsigned count,
                           uint64_t end);

/* Returns true if the interval [begin, end), whose completions are in `b`, is void. Whether it is
   void must be known (suspension_is_settled). */
bool suspension_voids(struct suspension *s, uint64_t begin, uint64_t end, const struct batch *b);

/*
 * The collector takes intervals and records of the workers and makes batches of them.
 *
 * One thread, that of the session, calls these functions. It never makes a worker wait. The
 * beginning of a round, in which the queues fill, is left out of the slices (unless requests have
 * due times): a time as long as a slice, and the rest of the slice in which this time ends. It
 * stays in the histograms and totals; with several workers, I/Os that complete after the round's
 * end stay in them, too. A worker that ends early ends the slices of all. Intervals that a
 * suspension of the program made void become no batches, and only their failed I/Os are in the
 * totals.
 */

/* A slice that has not been handed out yet, from the records of several workers. Records of slices
   beyond COLLECTOR_SLICES stay in their ring until earlier slices are handed out. */
struct collector_slice {
    uint64_t asked_bytes, busy_ticks;
};
#define COLLECTOR_SLICES 1024

/*
 * Number of intervals whose busy stretches (times with I/O in flight) are kept at a time. Stretches
 * are divided among the slices (settled) when their interval is handed out, and before that only if
 * the stretches of several intervals do not fit into struct busy. If that happens to an interval
 * beyond this number, only the busy time of its slices is known.
 */
#define COLLECTOR_LISTS 4

struct collector {
    struct worker *workers;
    unsigned count;
    const struct clock *clock;
    uint32_t block_size; /* bytes of every I/O; 0: lengths differ, and workers count the bytes */
    bool moves_none;     /* requests move no bytes */

    bool whole; /* requests have due times, or are one pass, so that nothing is left out: the
                   first slice counts, and I/O that completes after the end counts in the last
                   slice */

    /* number in the round of the interval that is being assembled */
    uint64_t next_interval;
    uint64_t begin_ticks, slice_ticks; /* begin of slice 0, and length of a slice */
    uint64_t wall_ns;                  /* wall clock at the begin of slice 0, since 1970; 0: not
                                          known */
    uint64_t interval_ns;
    unsigned slice_span;  /* number of original slices in one slice of a batch; 0 stands for 1 */
    uint64_t first_slice; /* slices before this one are left out */
    uint64_t last_slice;  /* slices from this one on are left out */
    struct slice total;   /* sums over everything in the round */
    /* bytes of the round that were moved in void intervals (struct suspension) */
    uint64_t void_bytes;
    struct batch batch;
    struct suspension suspension;

    /* Several workers: the union of the times in which any of them had I/O in flight. */
    struct busy busy; /* ticks; not yet divided among slices */
    /* busy stretches (times with I/O in flight), in ticks; index: number of the interval modulo
       COLLECTOR_LISTS */
    struct busy_list lists[COLLECTOR_LISTS];
    /* busy stretches of `batch`, to which it points */
    struct batch_stretch stretches[BATCH_STRETCHES];
    /* index: number of the slice in the round modulo COLLECTOR_SLICES */
    struct collector_slice pending[COLLECTOR_SLICES];
    uint64_t records; /* records seen in the session */
};

void collector_begin_round(struct collector *c, const struct round_order *order);

/* Ends the round early, at this instant: the slice that contains this instant, and later slices,
   are left out. */
void collector_end_round(struct collector *c, uint64_t ticks);

/* Empties the record rings. If it is not called often enough (see collector_pause_ns), records are
   dropped. */
void collector_drain_records(struct collector *c);

/* Returns the next whole batch, or NULL if a worker has not finished it. It is valid until the next
   call. */
const struct batch *collector_next(struct collector *c);

/* Returns how long to sleep until the fullest record ring may be half full, at the rate of the last
   pause. */
uint64_t collector_pause_ns(const struct collector *c, uint64_t records_before, uint64_t pause_ns);

struct group {
    struct worker *workers;
    unsigned count;
    const struct clock *clock;
    struct collector *collector;
    struct round_order order;
};

/* The target of the workers, and the data and options that they use. */
struct group_setup {
    const struct plan *plan;
    const struct io_ops *ops;
    const struct clock *clock;
    int fd;
    /* descriptors, one for each worker, which then have different targets; or NULL */
    const int *fds;
    bool direct;
    bool block_device;                 /* the descriptors are of block devices */
    const struct nvme_namespace *nvme; /* the namespace of the target, or NULL */
    const struct scsi_unit *scsi;      /* the target's SCSI disk, or NULL */
    const struct net_peer *peer;       /* the host to which the workers connect, or NULL */
    uint64_t region;                   /* bytes from plan->offset on */
    /* zones of the region; NULL: the target is not used by zones */
    struct zones *zones;
    const struct write_content *content; /* content of writes, which must outlive the group;
                                            NULL: noise */
    /* ledger with which writes are stamped instead of getting `content`; it must outlive the group;
       NULL: no stamps */
    struct ledger *ledger;
    enum io_choice sqpoll, iopoll;
    unsigned first_processor; /* index of worker 0's processor, as in placement_choose */
    bool traced; /* plan->completions: each worker has a ring of finished requests, which is read */
    /* what is done before each pass: by all workers if there are `fds`, otherwise by the first
       one */
    enum io_pass pass;
    const struct heartbeat *heartbeat; /* NULL: suspensions are not detected */
    /* threads that the workers share with those of other groups (processor_carrier.h); NULL: each
       worker has its own thread */
    struct carriers *carriers;
    /* Returns each worker's source of requests with due times (plan_is_timed). */
    struct request_source (*source)(void *context, unsigned worker);
    void *source_context;
};

struct round_request {
    double seconds;
    double slice_seconds;
    unsigned slice_span; /* number of original slices in one slice of a batch; 0 stands for 1 */
    /* ticks at which a round of timed requests begins; 0, or an instant in the past: at once */
    uint64_t begin_ticks;
    bool recording;
    bool counts, traced;               /* see struct round_order */
    bool one_pass;                     /* a suspension of the program ends the round */
    const volatile sig_atomic_t *stop; /* may be NULL */
    /* These are called by the calling thread while the round runs; each may be NULL. */
    void (*on_batch)(void *context, const struct batch *batch);
    void (*on_pause)(void *context, double elapsed_seconds);
    void (*on_suspension)(void *context, const struct heartbeat_gap *gap);
    void *context;
};

struct round_outcome {
    /* from the begin to the last completion, without intervals that a suspension of the program
       voided */
    double seconds;
    struct slice total;     /* if recording */
    uint64_t counted;       /* number of I/Os, without recording */
    double overrun_seconds; /* time that several workers waited for late I/O, outside all slices */
    double cpu_seconds;     /* processor time of all workers */
    double aside_seconds;   /* the longest time that a worker excluded from its round
                               (io_backend.aside) */
    unsigned suspensions;   /* suspensions of this program in the round (see suspension.c) */
    /* bytes moved in intervals that a suspension of the program voided; they are not in `total` */
    uint64_t void_bytes;
    bool stuck; /* I/O is still in flight long after the end: the group cannot be stopped */
};

size_t group_bytes(const struct plan *plan);
/*
 * Returns the number of workers whose latencies batches keep separately: with several workers and
 * --interval, up to MEASUREMENT_JOBS; otherwise 0.
 */
unsigned jobs_kept(const struct plan *plan);
int group_init(struct group *g, const struct group_setup *setup, struct arena *arena,
               struct err *e);

/* Starts the threads and opens their backends. If -1 is returned, nothing runs. */
int group_start(struct group *g, struct err *e);

/* Returns the time from the call of group_run_round to the begin of the round. */
uint64_t group_ahead_ns(const struct group *g);

/* Runs a round. Returns -1 if a worker's backend failed (not for single failed I/Os); the outcome
   is valid even then. */
int group_run_round(struct group *g, const struct round_request *request,
                    struct round_outcome *outcome, struct err *e);
void group_stop(struct group *g);

/* Ends the round now, in the way in which it would have ended as planned. Call it from on_pause,
   with the time that on_pause was given. */
void group_end_round(struct group *g, double elapsed_seconds);

/* Drops stamped writes that were never issued: there will be no further round to issue them. */
void group_forget_waiting(struct group *g);

/* Returns the number of records that the rings of all workers dropped. Call it between rounds. */
uint64_t group_records_lost(const struct group *g);

/* Writes the slowest requests of all workers in the rounds that counted, slowest first. */
void group_slowest(const struct group *g, struct slowest *all);

/* Returns the worker that saw the first failure, or NULL. */
const struct worker *group_first_failure(const struct group *g);

/* Returns the failures that devices reported, for all workers together. It is valid after
   group_stop, too. */
struct io_statuses group_statuses(const struct group *g);

#endif
