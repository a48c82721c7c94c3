/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/session share. */
#ifndef CUPEL_RUN_SESSION_INTERNAL_H
#define CUPEL_RUN_SESSION_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "facts/result.h"
#include "hw/component/component.h"
#include "hw/knob/knob.h"
#include "hw/log/log_reader.h"
#include "hw/monitor/load.h"
#include "hw/monitor/monitor.h"
#include "hw/remote/remote_end.h"
#include "io/net/address.h"
#include "io/target/target.h"
#include "io/target/write_content.h"
#include "io/zone/zones.h"
#include "replay/replay_source.h"
#include "run/evidence/completion_trace.h"
#include "run/launch/common_start.h"
#include "run/launch/meeting.h"
#include "run/loop/worker_group.h"
#include "run/plan/plan.h"
#include "run/record/contents.h"
#include "run/record/record.h"
#include "run/result/session_judgement.h"
#include "run/session/session.h"
#include "run/verify/verify.h"
#include "run/watch/hardware.h"
#include "run/watch/other_programs.h"

/* ---- a running session ---- */

#define SESSION_DISKS 64

struct session_shared {
    const struct common_start *start; /* or NULL */
    struct target target;             /* held: a device, a scratch file */
    bool target_open;
    bool has_file; /* a file with a name, which each session opens: the same one, */
    dev_t device;  /* by these */
    ino_t inode;
    struct knobs knobs;
    double bytes_trimmed;    /* of the target, by the sessions so far */
    bool stuck;              /* a worker still waits for the target: it stays open */
    struct meeting *meeting; /* of several sessions at the same time, this one being ... */
    size_t member;           /* ... that one of them; NULL: alone */
    struct session_shared *settings_of; /* of the member that sets the machine's settings for all */
    char disks[SESSION_DISKS][48];      /* of this one, for these settings */
    size_t disk_count;
    struct hardware_seen *seen; /* the machine as the first one saw it; NULL: each looks */
};

#define SESSION_PASS_SLICE_SECONDS 0.01 /* of phases and traces */

/* The common start of several ranks, as it came to be: session_start.c. */
struct session_begin {
    bool awaited;       /* the next measured round begins at the instant */
    int64_t instant_ns; /* by the wall clock; 0: there is none (yet) */
    int64_t begun_ns;   /* of the first measured round; 0: there was none */
    bool late;
    bool punctual;         /* this thread has priority until the round has begun */
    double waited_seconds; /* which --limit does not count */
    char missing[120];     /* ranks that were not waited for; "": none */
};

struct session {
    struct arena arena; /* owns everything below that is not a descriptor or a thread */
    struct contents contents;

    /* only while it runs */
    struct clock clock;
    struct target target;
    bool target_open;
    const struct io_ops *ops;
    int job_files[PLAN_JOBS_MAX]; /* of a mode with new files: the first is the target's, the others
                                   */
    unsigned job_file_count;      /* the session's own; 0: all jobs have the target */
    int writeback[PLAN_JOBS_MAX]; /* of each file that is written through the page cache */
    unsigned writeback_count;
    enum io_choice sqpoll, iopoll; /* as asked for, or as io_choose measured */
    char chosen[400];              /* why this backend */
    uint64_t region;               /* bytes that the workload covers, from the plan's offset on */
    struct zone_device zone_device;
    struct zones zones; /* of the region; count 0: not by zones. Allocated: session_free_zones */
    struct workload_spec workload; /* of a timed plan that is no replay */
    struct plan arranged;          /* the plan as the workers have it, see session_prepare.c */
    struct write_content content;  /* of writes: session_content */
    struct verify verify;          /* of writes that are read back: plan.verify */
    struct arena generator_memory; /* of the next */
    struct generators *generators[PLAN_JOBS_MAX]; /* one a worker */
    struct replay *replay;                        /* or NULL */
    struct heartbeat heartbeat;
    struct completion_trace *trace;         /* or NULL */
    char trace_path[1100], trace_cost[160]; /* the cost in words; "": not measured */
    struct group group;
    bool group_started;
    char block_layer_why_not[160]; /* why its cost was not measured, or "" */
    bool stuck, trace_hangs; /* workers, the trace's writer wait for I/O that does not come back */
    struct record_writer record;
    const struct sysroot *root;
    const struct session_observer *observer;
    const volatile sig_atomic_t *stop;
    uint64_t began_ticks;
    uint64_t shown_ticks;       /* when progress was last shown, ... */
    char shown_stage[48];       /* ... and its stage */
    double stage_began_seconds; /* of a stage with a share */
    struct live live;           /* where the observer wants it */
    struct exposed_op exposed[IO_OPS];
    double exposed_next_seconds;   /* when it is looked at again */
    double latencies_next_seconds; /* when those over time are looked at again */
    double over_at_seconds;        /* the session, since it began: as expected; NaN */
    uint64_t flushed_ticks;        /* when the record was last flushed */
    double clock_looked_seconds;   /* when the wall clock's error was last recorded */
    struct data_path path;         /* of the target, nodes of contents.hardware */
    struct session_shared
        *shared;        /* or NULL: the target and the settings are this session's alone */
    struct knobs knobs; /* where not shared: session_knobs */
    struct components components;       /* the user's, of plan.graph */
    struct remote_end remote;           /* of plan.remote, while it runs */
    struct net_peer peer;               /* of a backend that connects: the target */
    char peer_number[NET_ADDRESS_TEXT]; /* its address */
    bool peer_is_own;                   /* it is this machine */
    struct component_sources component_sources;
    struct monitor monitor;
    bool watching;
    bool watch_compared;
    bool in_measured_round;     /* samples are kept */
    uint64_t own_bytes[IO_OPS]; /* in batches since the last sample, for the monitor, ... */
    double own_bytes_seconds;   /* ... and the length of these batches */
    double watch_every_seconds, watch_next_seconds; /* since the session began */
    double watch_cpu_seconds;                       /* processor time of all samples */
    uint64_t watch_samples;
    double worker_cpu_seconds[PLAN_JOBS_MAX]; /* in measured rounds */
    double worker_seconds;                    /* their length */
    char watch_found[160];                    /* how the rate was found */
    bool watch_noted[MONITOR_GAUGES];         /* gauges whose change has a note */
    float watch_best[MONITOR_GAUGES];         /* the highest value so far */
    struct device_watch device_watch;
    struct log_reader log_reader;
    double log_next_seconds;
    struct load_sample load_before;
    double load_seconds;              /* when load_before was taken, since the session began */
    const struct common_start *start; /* or NULL */
    struct session_begin begin;
    unsigned first_processor; /* of worker 0, as placement.h counts */
    bool shares_processors;  /* workers, with each other, ranks or targets: no real-time priority */
    struct meeting *meeting; /* of sessions at the same time; NULL: alone */
    size_t member;           /* of them */
    int numa_node;           /* that the target is attached to; -1: any, or not known */
    bool memory_bound;       /* buffers are on that node */
    struct session_progress progress;
    double overrun_seconds;   /* see struct round_outcome; in all */
    double aside_share;       /* of the last round: time set aside over time that counts */
    double own_cpu_before;    /* processor time of this process, with load_before */
    struct judged judged;     /* the last judgement of the rate */
    double look_next_seconds; /* of the round: session_look */
    struct result_clause clauses[2 * CLAUSES_MAX]; /* after the last round */
    size_t clause_count;
};

static inline double session_seconds(const struct session *s)
{
    return (double)clock_ns(&s->clock, clock_ticks(&s->clock) - s->began_ticks) * 1e-9;
}

/* Of --limit. Waiting for other ranks or targets is no part of it. */
static inline double session_seconds_left(const struct session *s)
{
    return s->contents.plan.limit_seconds - (session_seconds(s) - s->begin.waited_seconds);
}

/* What else the machine did is counted from here on. */
static inline void session_load_before(struct session *s)
{
    load_take(s->root, &s->load_before);
    s->load_seconds = session_seconds(s);
    s->own_cpu_before = seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static inline bool session_stopped(const struct session *s)
{
    return s->stop && *s->stop;
}

/* session_progress.c */
/* Show progress, if it is time to. */
void session_show(struct session *s, const char *stage);
void session_show_share(struct session *s, const char *stage, double share);
/* In a measured round. */
void session_progress_begin_round(struct session *s, double seconds);
void session_show_round(struct session *s, double elapsed_seconds);
/* It was judged (session_is_precise): what is missing, and when the session is over. */
void session_progress_judged(struct session *s, bool is_precise);
/* All that was asked for is there: what comes now takes so long. */
void session_progress_ending(struct session *s, double seconds);

/* ---- session_data.c: what writes hold, where it is more than noise ---- */

/* Several sessions over one file: do they know it again? ERR_USAGE. Before anything is written. */
int session_expect_recognised(const struct session *s, struct err *e);
/* Once the region and the number of workers are known. ERR_USAGE: a pattern that is none. */
int session_prepare_data(struct session *s, struct err *e);
/* For the workers; NULL: noise. */
const struct write_content *session_content(const struct session *s);
void session_settings_of_data(struct session *s);

/* Of writes that are read back (plan.verify): their ledger, once the region and the backend are
   known. ERR_USAGE, ERR_MACHINE: see run/verify/verify.h, which has the rest. */
int session_prepare_verify(struct session *s, struct err *e);
/* For the workers; NULL: writes are not read back. */
struct ledger *session_ledger(struct session *s);
/* All is measured and the workers have ended. */
void session_verify(struct session *s);

/* session_files.c: what a mode asks of the target's file: one for each job; in the page cache. */
int session_prepare_files(struct session *s, struct err *e);
void session_close_files(struct session *s);

/* ---- session_network.c: a target that is the address of a host ---- */

int session_find_peer(struct session *s, struct err *e);
/* Where the data path begins, of any target. */
struct hardware_target session_hardware_target(const struct session *s);
void session_settings_of_peer(struct session *s);
/* What is known of its connections, as settings of the node "network" and notes; once the workers
   have ended. */
void session_note_links(struct session *s);

/* session_prepare.c: target, backend, group. -1: nothing can be measured. */
int session_prepare(struct session *s, struct err *e);
int session_open_flag(const struct plan *plan); /* O_SYNC, O_DSYNC or 0: of --sync */

/*
 * session_start.c: everything is prepared. Wait for the common start of all ranks, if there is one,
 * up to shortly before it. False: the session is over, and the verdict says why.
 */
bool session_await_start(struct session *s);
/* The rest of the waiting, to the instant at which the round has to be ordered. */
void session_await_instant(struct session *s);
/*
 * With --interval: wait up to a second, less than one batch, so that the batches of a round of
 * requests with due times begin at multiples of their length on the wall clock: intervals of
 * several machines then hold the same stretches of time. Other rounds need no waiting, see
 * round_order's lead_ticks. A common start has its own instant.
 */
void session_await_batch(struct session *s, double batch_seconds);
/* In the round: it has begun, and this thread is like any other again. */
void session_end_punctuality(struct session *s);
/* The first measured round began at this instant. */
void session_note_begin(struct session *s, uint64_t begin_ticks);

/* ---- together with other sessions: session_shared.c, kept_load.c, session_place.c ---- */

/* The target is examined and nothing was written over it: wait until this is so of all. -1: another
   one cannot be measured, or the user stopped it. Alone: nothing. */
int session_meet(struct session *s, struct err *e);
/* The settings of the machine are as asked for, of all of them. */
int session_meet_settings(struct session *s, struct err *e);
/* All that was asked for is measured, or it failed: the load goes on until the last one is there.
 */
void session_keep_load(struct session *s);

/* The NUMA node of the target, from its data path. */
void session_find_node(struct session *s);
/* Processors for the workers of s->arranged: near to the target, apart from other targets'. */
void session_place(struct session *s);
/* The memory that workers are about to get comes from the target's node. */
void session_bind_memory(struct session *s);
/* Where workers and memory were, as settings; a warning where they were far from the target. */
void session_settings_of_nodes(struct session *s);
/* The processors of --numa_cpu_nodes become those of the workers. ERR_USAGE, as the next one: there
   is no such node. */
int session_use_nodes(struct plan *arranged, struct err *e);
/* All of the arena that is free yet follows --numa_mem_policy: before it is touched. ERR_MACHINE:
   the kernel refuses, or the nodes have not as much. */
int session_use_policy(struct session *s, struct err *e);
/* Of the policy `local`: the buffers of the group's workers, before they are started. */
void session_use_local_memory(struct session *s);
void session_settings_of_policy(struct session *s);

/* session_rounds.c: has the target failed in a round that ended so? Then the verdict says how. */
bool session_round_failed(struct session *s, int status, const struct round_outcome *outcome,
                          const struct err *error);

/* session_timed.c: where a timed worker's requests come from; -1: the region is too small. */
int session_make_sources(struct session *s, struct err *e);
struct request_source session_source(void *session, unsigned worker);
/* session_timed.c: after each round, the totals of the timed loops go to contents.timing. */
void session_take_timing(struct session *s, double round_seconds, bool trial);

/* session_costs.c: seconds of what is compared after the last round of a precise result. */
double session_costs_seconds(const struct session *s);
/* session_precision.c: seconds of the round after so many measured ones. */
double session_next_round(const struct session *s, double measured);
/* Judge the measurement so far: is it as precise as the plan asks? Also asked of a record. */
bool session_is_precise(struct session *s);
/* In a measured round, about once a second: judge what is there so far, for progress too. True: all
   that was asked for is reached, and the round ends. The first look is a second after the begin. */
void session_begin_looks(struct session *s);
bool session_look(struct session *s, double elapsed_seconds);

/* overhead.c: pairs of rounds, with and without recording or watching, and the length of each. */
#define RECORDING_PAIRS        5
#define RECORDING_SECONDS      0.3
#define RECORDING_COST_SECONDS (2 * RECORDING_PAIRS * RECORDING_SECONDS)
#define WATCHING_PAIRS         4
#define WATCHING_SECONDS       0.1
#define WATCHING_COST_SECONDS  (2 * WATCHING_PAIRS * WATCHING_SECONDS)

/* session_rounds.c: trial rounds, measured rounds, the verdict. Never fails: it is the verdict. */
void session_measure(struct session *s);

/* overhead.c: what measuring costs. Stores to contents.overhead; may leave the session stuck. */
void session_measure_loop_cost(struct session *s);
void session_measure_recording_cost(struct session *s);
void session_measure_trace_cost(struct session *s); /* of --trace: to s->trace_cost */

/* ---- session_trace.c: the trace of the session's requests (--trace) ---- */

/* Make its file, before anything is touched. -1: it is there, or cannot be made. */
int session_trace_create(struct session *s, struct err *e);
/* The workers stand ready: what they finish goes to it. */
int session_trace_start(struct session *s, struct err *e);
/* All is measured: the rest is written, and the slowest requests are in the contents. */
void session_trace_end(struct session *s);
/* Once: does watching cost too much? It may lower the rate, if more rounds follow. */
void session_compare_watching(struct session *s, bool more_rounds);

/* overhead.c: a round like the measured ones that is not kept. NaN when it did not run to its end;
   it may leave the session stuck. */
struct like_request {
    struct group *group;
    double seconds;
    bool recording, watching, traced;
    const char *stage; /* for the user */
};
struct like_round {
    double iops;
    double cpu_seconds; /* processor time for an I/O: of workers, and of the kernel's threads for
                           them */
};
struct like_round session_like_round(struct session *s, const struct like_request *like);

/* block_layer_cost.c: after a session past the block layer, what going through it costs. Stores to
   contents.block_layer; it may leave the session stuck. */
void session_compare_block_layer(struct session *s);

/* device_status.c: the failures that the device reported, as notes and as settings of the node
   "errors", and whether it flushed its writes; once the workers have ended. */
void session_note_statuses(struct session *s);
/* The NVMe status of a worker's first failure, as " (NVMe: NAME)", or why there was none; "" when
   neither is known. */
char *session_failure_status(const struct worker *w, char *to, size_t size);

/* session_watch.c: watching while measuring, at first as often as processor time permits. */
void session_watch_begin(struct session *s);
void session_watch_rate(struct session *s, double hertz);
/* A measured round begins: the time before it belongs to no sample. */
void session_watch_round(struct session *s);
void session_watch_sample(struct session *s, bool counts); /* when it is due */

/* ---- session_kernel_log.c: what the kernel writes meanwhile ---- */

void session_log_begin(struct session *s); /* from now on */
void session_log_names(struct session *s); /* the data path is known */
/* In rounds and while it waits, with progress: one system call when it is due. */
void session_log_take(struct session *s);
/* The rest, and a warning where the kernel wrote about the target. */
void session_log_end(struct session *s);

/* ---- session_zones.c: zoned devices, --zonemode zbd ---- */

/* The target and the region are known: read the zones, and refuse what cannot be. */
int session_open_zones(struct session *s, struct err *e);

/* ---- session_write_modes.c ---- */

/* ERR_MACHINE: the controller lacks a command that --write_mode names. */
int session_check_write_modes(const struct session *s, struct err *e);
/* What they leave, as a note. */
void session_note_write_modes(struct session *s);

/* ---- session_trims.c ---- */

/* Does the target take the trims of the plan? ERR_MACHINE, ERR_USAGE. Changes nothing. */
int session_check_trims(const struct session *s, struct err *e);
/* A note where trims met blocks that had been trimmed before. */
void session_note_trims(struct session *s);
void session_zones_after(struct session *s); /* workers have ended, the target is open */
void session_free_zones(struct session *s);

/* ---- session_clock.c: host and clock into the record ---- */

/* Before anything is measured and after all is; these may run chronyc, for up to a second. */
void session_clock_begin(struct session *s);
void session_clock_end(struct session *s);
/* While a round runs, by the collector: one system call when it is due. */
void session_clock_pause(struct session *s);
void session_watch_end(struct session *s);

/*
 * session_writeback.c: did writes through the page cache arrive? _begin before the first write,
 * _end after the last one: a session whose writes were lost has failed. _close in any case, unless
 * it is stuck.
 */
void session_writeback_begin(struct session *s);
void session_writeback_end(struct session *s);
void session_writeback_close(struct session *s);

/* session_knobs.c: settings of the machine. -1: one that was asked for cannot be set. */
static inline struct knobs *session_knobs(struct session *s)
{
    struct session_shared *of = s->meeting ? s->shared->settings_of : s->shared;
    return of ? &of->knobs : &s->knobs;
}
/* The disks that these settings are of, before they are set. */
int session_list_disks(struct session *s, struct err *e);
int session_set_knobs(struct session *s, struct err *e);
void session_restore_knobs(struct session *s);

/* session_settings.c: how it was measured, as facts, before and after. */
void session_settings_before(struct session *s);
void session_settings_after(struct session *s);

#endif
