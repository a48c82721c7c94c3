/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the steps of a running session share. Private to src/run/session*.c and overhead.c.
 */
#ifndef CUPEL_RUN_SESSION_STATE_H
#define CUPEL_RUN_SESSION_STATE_H

#include "base/clock.h"
#include "hw/knob.h"
#include "hw/load.h"
#include "hw/monitor.h"
#include "io/target.h"
#include "run/contents.h"
#include "run/group.h"
#include "run/judged.h"
#include "run/others.h"
#include "run/record.h"
#include "run/replay_source.h"
#include "run/session.h"

struct session_shared {
    struct target target; /* held: a device, a scratch file */
    bool target_open;
    bool has_file; /* a file with a name, which each session opens: the same one, */
    dev_t device;  /* by these */
    ino_t inode;
    struct knobs knobs;
    bool stuck; /* a worker still waits for the target: it stays open */
};

struct session {
    struct arena arena; /* owns everything below that is not a descriptor or a thread */
    struct contents contents;

    /* only while it runs */
    struct clock clock;
    struct target target;
    bool target_open;
    const struct io_ops *ops;
    enum io_choice sqpoll, iopoll; /* as asked for, or as io_choose measured */
    char chosen[400];              /* why this backend */
    uint64_t region;               /* bytes that the workload covers, from the plan's offset on */
    struct workload_spec workload; /* of a timed plan that is no replay */
    struct plan arranged;          /* the plan as the workers have it: see session_prepare.c */
    struct arena generator_memory; /* of the next */
    struct generators *generators[PLAN_JOBS_MAX]; /* one a worker */
    struct replay *replay;                        /* or NULL */
    struct heartbeat heartbeat;
    struct group group;
    bool group_started;
    char block_layer_why_not[160]; /* why what the block layer costs was not measured, or "" */
    bool stuck;                    /* workers wait for I/O that does not come back */
    struct record_writer record;
    const struct sysroot *root;
    const struct session_observer *observer;
    const volatile sig_atomic_t *stop;
    uint64_t began_ticks;
    uint64_t shown_ticks;   /* when progress was last shown */
    uint64_t flushed_ticks; /* when the record was last flushed */
    struct data_path path;  /* of the target, nodes of contents.hardware */
    struct session_shared
        *shared;        /* or NULL: the target and the settings are this session's alone */
    struct knobs knobs; /* where not shared: session_knobs */
    struct monitor monitor;
    bool watching;
    bool watch_compared;
    bool in_measured_round;      /* samples are kept */
    uint64_t told_bytes[IO_OPS]; /* by batches since the last sample, for monitor_tell, ... */
    double told_seconds;         /* ... and the time that these are of */
    double watch_every_seconds, watch_next_seconds; /* since the session began */
    double watch_cpu_seconds;                       /* processor time of all samples */
    uint64_t watch_samples;
    double worker_cpu_seconds[PLAN_JOBS_MAX]; /* in measured rounds */
    double worker_seconds;                    /* their length */
    char watch_found[160];                    /* how the rate was found */
    bool watch_told[MONITOR_GAUGES];          /* gauges whose change was told */
    float watch_best[MONITOR_GAUGES];         /* the highest value so far */
    struct device_watch device_watch;
    struct load_sample load_before;
    double load_seconds; /* when load_before was taken, since the session began */
    struct session_progress progress;
    double overrun_seconds;    /* see struct round_outcome; in all */
    double own_cpu_before;     /* processor time of this process, with load_before */
    struct judged judged;      /* the last judgement of the rate */
    double judge_next_seconds; /* of the round, for progress */
};

static inline double session_seconds(const struct session *s)
{
    return (double)clock_ns(&s->clock, clock_ticks(&s->clock) - s->began_ticks) * 1e-9;
}

static inline bool session_stopped(const struct session *s)
{
    return s->stop && *s->stop;
}

/* session_prepare.c: target, backend, group. -1: nothing can be measured. */
int session_prepare(struct session *s, struct err *e);

/* session_timed.c: where a timed worker's requests come from; -1: the region is too small. */
int session_make_sources(struct session *s, struct err *e);
struct request_source session_source(void *session, unsigned worker);

/* session_timed.c: after each round, what the timed loops say of it goes to contents.timing. */
void session_take_timing(struct session *s, double round_seconds);

/* session_timed.c: how requests with due times were issued, as settings and notes. */
void session_timing_settings(struct session *s);

/* session_timed.c: phases or a trace, once from begin to end. */
void session_measure_pass(struct session *s);
double session_pass_done(const struct session *s,
                         double elapsed_seconds); /* a share; NaN: unknown */

/* session_rounds.c: run one round and put it on record. False: the session is over, the verdict
   says why. */
struct round_outcome;
bool session_round(struct session *s, bool trial, double seconds, double slice_seconds,
                   struct round_outcome *outcome);

/* session_rounds.c: trial rounds, measured rounds, the verdict. Never fails: it is the verdict. */
void session_measure(struct session *s);
/* Judges what was measured so far: is it as precise as the plan asks? A record is asked this, too.
 */
bool session_is_precise(struct session *s);

/* overhead.c: what recording and the loop cost. Stores to contents.overhead. */
void session_measure_loop_cost(struct session *s);
void session_measure_recording_cost(struct session *s);

/* A round like the measured ones that is not kept, overhead.c. NaN when it did not run to its end;
   it may leave the session stuck. */
struct like_request {
    struct group *group;
    double seconds;
    bool recording, watching;
    const char *stage; /* what the user is shown */
};
struct like_round {
    double iops;
    double cpu_seconds; /* processor time for an I/O: of workers, and of the kernel's threads for
                           them */
};
struct like_round session_like_round(struct session *s, const struct like_request *like);

/* block_layer.c: after a session past the block layer, what going through it costs. Stores to
   contents.block_layer; it may leave the session stuck. */
void session_compare_block_layer(struct session *s);

/* device_status.c: what the device told of failures, as notes and as settings of the node "errors",
   and whether it flushed what was written; once the workers have ended. */
void session_tell_statuses(struct session *s);

/* The NVMe status behind a worker's first failure, as " (NVMe: NAME)", or what it says that there
   was none; "" when there is nothing to tell. */
char *session_failure_status(const struct worker *w, char *to, size_t size);

/*
 * A pair of rounds like the measured ones that are not kept, overhead.c, in I/Os per second; NaN
 * when one did not run to its end. The one is recorded and watched; the other is not watched, and
 * recorded only if `recorded`. Pairs of odd number have the other one first: A B B A.
 */
void session_like_pair(struct session *s, double seconds, unsigned number, bool recorded,
                       double *watched, double *other);

/* session_watch.c: what is watched while measuring, at first as often as processor time permits.
 * Comparing rounds with and without may lower that, once; it may leave the session stuck. */
void session_watch_begin(struct session *s);
void session_watch_compare(struct session *s, bool more_rounds);
void session_watch_round(
    struct session *s); /* a measured round begins: earlier time is none of it */
void session_watch_sample(struct session *s, bool counts); /* when it is due */
void session_watch_end(struct session *s);

/* session_knobs.c: settings of the machine. -1: one that was asked for cannot be set. */
static inline struct knobs *session_knobs(struct session *s)
{
    return s->shared ? &s->shared->knobs : &s->knobs;
}
int session_set_knobs(struct session *s, struct err *e);
void session_restore_knobs(struct session *s);

/* session_settings.c: how it was measured, as facts, before and after. */
void session_settings_before(struct session *s);
void session_settings_after(struct session *s);

/* Show progress if it is time to. */
void session_show(struct session *s, const char *stage);

#endif
