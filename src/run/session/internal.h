/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/session share. */
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
#include "run/evidence/completion_trace.h"
#include "run/launch/common_start.h"
#include "run/launch/meeting.h"
#include "run/loop/worker_group.h"
#include "run/plan/plan.h"
#include "run/record/contents.h"
#include "run/record/record.h"
#include "run/replay/replay_source.h"
#include "run/result/session_judgement.h"
#include "run/session/session.h"
#include "run/verify/verify.h"
#include "run/watch/hardware.h"
#include "run/watch/other_programs.h"

/* ---- a running session ---- */

#define SESSION_DISKS 64

struct session_shared {
    const struct common_start *start; /* NULL: there is no common start */
    struct target target;             /* kept open: a device, a scratch file */
    bool target_open;
    bool has_file; /* the target is a named file, which each session opens; it must be the same
                      file, */
    dev_t device;  /* identified by device and inode */
    ino_t inode;
    struct knobs knobs;
    double bytes_trimmed;               /* bytes of the target that earlier sessions have trimmed */
    bool stuck;                         /* a worker still waits for the target, which stays open */
    struct meeting *meeting;            /* sessions at the same time; NULL: this one is alone */
    size_t member;                      /* index of this session in the meeting */
    struct session_shared *settings_of; /* belongs to the member that changes the machine's
                                           settings for all */
    char disks[SESSION_DISKS][48];      /* this session's disks, for these settings */
    size_t disk_count;
    struct hardware_seen *seen; /* the machine as the first session saw it; NULL: each session
                                   looks */
};

#define SESSION_PASS_SLICE_SECONDS 0.01 /* slices of phases and traces */

/* The actual common start of several ranks (session_start.c). */
struct session_begin {
    bool awaited;       /* the next measured round begins at the instant */
    int64_t instant_ns; /* on the wall clock; 0: there is none (yet) */
    int64_t begun_ns;   /* begin of the first measured round; 0: there was none */
    bool late;
    bool punctual;         /* this thread has real-time priority until the round has begun */
    double waited_seconds; /* time of waiting, which --limit does not count */
    char missing[120];     /* ranks that did not come in time; "": none */
};

struct session {
    struct arena arena; /* owns everything below except descriptors and threads */
    struct contents contents;

    /* used only while the session runs */
    struct clock clock;
    struct target target;
    bool target_open;
    const struct io_ops *ops;
    int job_files[PLAN_JOBS_MAX]; /* files of a mode with new files: the first is the target's */
    unsigned job_file_count;      /* number of own files; 0: all jobs use the target */
    int writeback[PLAN_JOBS_MAX]; /* a descriptor of each file that is written through the page
                                     cache */
    unsigned writeback_count;
    enum io_choice sqpoll, iopoll; /* as requested, or as io_choose measured */
    char chosen[400];              /* reason for the choice of the backend */
    uint64_t region;               /* bytes that the workload covers, from the plan's offset on */
    struct zone_device zone_device;
    struct zones zones; /* zones of the region; count 0: it is not used by zones. Freed by
                           session_free_zones */
    struct workload_spec workload; /* for timed plans that are not replays */
    struct plan arranged;          /* the plan as adapted for the workers (session_prepare.c) */
    struct write_content content;  /* content of writes (session_content) */
    struct verify verify;          /* for writes that are read back (plan.verify) */
    struct arena generator_memory; /* memory of `generators` */
    struct generators *generators[PLAN_JOBS_MAX]; /* one for each worker */
    struct replay *replay;                        /* NULL: not a replay */
    struct heartbeat heartbeat;
    struct completion_trace *trace;         /* NULL: no trace */
    char trace_path[1100], trace_cost[160]; /* trace_cost: description of the cost; "": not
                                               measured */
    struct group group;
    bool group_started;
    char block_layer_why_not[160]; /* reason why the block layer's cost was not measured, or "" */
    bool stuck, trace_hangs; /* the workers or the trace's writer wait for I/O that does not come
                                back */
    struct record_writer record;
    const struct sysroot *root;
    const struct session_observer *observer;
    const volatile sig_atomic_t *stop;
    uint64_t began_ticks;
    uint64_t shown_ticks;       /* when progress was last shown */
    char shown_stage[48];       /* stage that was last shown */
    double stage_began_seconds; /* begin of a stage with a share */
    struct live live;           /* filled if the observer asks for it */
    struct exposed_op exposed[OPERATIONS];
    double exposed_next_seconds;        /* when `exposed` is next updated */
    double latencies_next_seconds;      /* when latencies over time are next updated */
    double over_at_seconds;             /* expected end, since the session began; NaN: unknown */
    uint64_t flushed_ticks;             /* when the record was last flushed */
    double clock_looked_seconds;        /* when the wall clock's error was last recorded */
    struct data_path path;              /* path of the target; its nodes are in contents.hardware */
    struct session_shared *shared;      /* NULL: target and settings belong to this session alone */
    struct knobs knobs;                 /* used if not shared (see session_knobs) */
    struct components components;       /* the user's components, from plan.graph */
    struct remote_end remote;           /* the server of plan.remote, while it runs */
    struct net_peer peer;               /* the target of a backend that connects */
    char peer_number[NET_ADDRESS_TEXT]; /* the peer's address */
    bool peer_is_own;                   /* the peer is this machine */
    struct component_sources component_sources;
    struct monitor monitor;
    bool watching;
    bool watch_compared;
    bool in_measured_round;         /* samples are kept */
    uint64_t own_bytes[OPERATIONS]; /* bytes in batches since the last sample, for the monitor */
    double own_bytes_seconds;       /* length of these batches */
    double watch_every_seconds, watch_next_seconds; /* next: since the session began */
    double watch_cpu_seconds;                       /* processor time of all samples */
    uint64_t watch_samples;
    double worker_cpu_seconds[PLAN_JOBS_MAX]; /* in measured rounds */
    double worker_seconds;                    /* length of the measured rounds */
    char watch_found[160];                    /* how the sampling rate was determined */
    bool watch_noted[MONITOR_GAUGES];         /* gauges whose change was noted */
    float watch_best[MONITOR_GAUGES];         /* the highest value so far */
    struct device_watch device_watch;
    struct log_reader log_reader;
    double log_next_seconds;
    struct load_sample load_before;
    double load_seconds;              /* when load_before was taken, since the session began */
    const struct common_start *start; /* NULL: there is no common start */
    struct session_begin begin;
    unsigned first_processor; /* index of worker 0's processor, as in placement.h */
    bool shares_processors;   /* workers share processors with each other, other ranks or targets:
                                 no real-time priority */
    struct meeting *meeting;  /* sessions at the same time; NULL: this one is alone */
    size_t member;            /* index in the meeting */
    int numa_node;            /* node that the target is attached to; -1: any, or not known */
    bool memory_bound;        /* buffers are on that node */
    struct session_progress progress;
    double overrun_seconds;   /* sum over all rounds (see struct round_outcome) */
    double aside_share;       /* excluded time over counted time, in the last round */
    double own_cpu_before;    /* processor time of this process at load_before */
    struct judged judged;     /* the last judgement */
    double look_next_seconds; /* when the next look in this round is due (session_look) */
    struct result_clause clauses[2 * CLAUSES_MAX]; /* as judged after the last round */
    size_t clause_count;
};

static inline double session_seconds(const struct session *s)
{
    return (double)clock_ns(&s->clock, clock_ticks(&s->clock) - s->began_ticks) * 1e-9;
}

/* Returns the seconds left of --limit. Waiting for other ranks or targets does not count. */
static inline double session_seconds_left(const struct session *s)
{
    return s->contents.plan.limit_seconds - (session_seconds(s) - s->begin.waited_seconds);
}

/* Starts counting what else the machine does. */
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
/* Shows progress if it is due. */
void session_show(struct session *s, const char *stage);
void session_show_share(struct session *s, const char *stage, double share);
/* Shows the begin of a measured round. */
void session_progress_begin_round(struct session *s, double seconds);
void session_show_round(struct session *s, double elapsed_seconds);
/*
 * Updates progress after a judgement (session_is_precise): what is missing, and the expected end.
 */
void session_progress_judged(struct session *s, bool is_precise);
/* Updates progress when everything that was asked for is reached: the rest takes `seconds`. */
void session_progress_ending(struct session *s, double seconds);

/* ---- session_data.c: the content of writes, if it is more than noise ---- */

/* Checks that later sessions will recognise the content of the file as cupel's own, if several
   sessions use it. Called before anything is written. ERR_USAGE. */
int session_expect_recognised(const struct session *s, struct err *e);
/* Prepares the content of writes, once the region and the number of workers are known. ERR_USAGE:
   the pattern is not valid. */
int session_prepare_data(struct session *s, struct err *e);
/* Returns the content for the workers; NULL: noise. */
const struct write_content *session_content(const struct session *s);
void session_settings_of_data(struct session *s);

/* Prepares the ledger of writes that are read back (plan.verify), once the region and the backend
   are known. ERR_USAGE, ERR_MACHINE: see run/verify/verify.h, which has the other functions. */
int session_prepare_verify(struct session *s, struct err *e);
/* Returns the ledger for the workers; NULL: writes are not read back. */
struct ledger *session_ledger(struct session *s);
/* Reads the writes back. Called after everything is measured and the workers have ended. */
void session_verify(struct session *s);

/*
 * session_files.c: prepares the files as the mode requires: one for each job, or in the page cache.
 */
int session_prepare_files(struct session *s, struct err *e);
void session_close_files(struct session *s);

/* ---- session_network.c: a target that is the address of a host ---- */

int session_find_peer(struct session *s, struct err *e);
/* Returns the begin of the data path, for any target. */
struct hardware_target session_hardware_target(const struct session *s);
void session_settings_of_peer(struct session *s);
/* Reports the target's connections as settings of the node "network" and as notes. Called once the
   workers have ended. */
void session_note_links(struct session *s);

/* session_prepare.c: prepares target, backend and group. Returns -1 if nothing can be measured. */
int session_prepare(struct session *s, struct err *e);
int session_open_flag(const struct plan *plan); /* the flag of --sync: O_SYNC, O_DSYNC or 0 */

/*
 * session_start.c: waits for the common start of all ranks, if there is one, until shortly before
 * it. Everything must be prepared. Returns false if the session has ended; the verdict has the
 * reason.
 */
bool session_await_start(struct session *s);
/* Waits until the instant at which the round must be ordered. */
void session_await_instant(struct session *s);
/*
 * With --interval: waits up to a second, but less than one batch, so that the batches of a round of
 * requests with due times begin at multiples of their length on the wall clock: intervals of
 * several machines then cover the same times. Other rounds do not need to wait (see lead_ticks of
 * round_order). A common start has its own instant.
 */
void session_await_batch(struct session *s, double batch_seconds);
/* Called in the round, once it has begun: gives this thread ordinary priority again. */
void session_end_punctuality(struct session *s);
/* Notes the instant at which the first measured round began. */
void session_note_begin(struct session *s, uint64_t begin_ticks);

/* ---- other sessions at the same time: session_shared.c, kept_load.c, session_place.c ---- */

/*
 * Waits until the targets of all sessions are examined, and none is written before. Returns -1 if
 * another target cannot be measured, or the user stopped it. Does nothing if the session is alone.
 */
int session_meet(struct session *s, struct err *e);
/* Waits until the machine's settings are changed as requested, for all sessions. */
int session_meet_settings(struct session *s, struct err *e);
/* Keeps the load on the target until the last session has measured everything. Called after this
   session has measured everything, or has failed. */
void session_keep_load(struct session *s);

/* Finds the NUMA node of the target from its data path. */
void session_find_node(struct session *s);
/*
 * Chooses processors for the workers of s->arranged: near to the target, apart from other targets'.
 */
void session_place(struct session *s);
/* Binds the memory that the workers will get to the target's node. */
void session_bind_memory(struct session *s);
/*
 * Reports the placement of workers and memory as settings; warns if they are far from the target.
 */
void session_settings_of_nodes(struct session *s);
/* Gives the workers the processors of --numa_cpu_nodes. ERR_USAGE, here and below: there is no such
   node. */
int session_use_nodes(struct plan *arranged, struct err *e);
/* Applies --numa_mem_policy to the free part of the arena, before it is touched. ERR_MACHINE: the
   kernel refuses, or the nodes do not have enough memory. */
int session_use_policy(struct session *s, struct err *e);
/* For the policy `local`: places the buffers of the group's workers before they are started. */
void session_use_local_memory(struct session *s);
void session_settings_of_policy(struct session *s);

/* session_rounds.c: returns true if the target has failed in a round with this end. The verdict
   then says how. */
bool session_round_failed(struct session *s, int status, const struct round_outcome *outcome,
                          const struct err *error);

/* session_timed.c: makes the sources of the timed workers' requests. Returns -1 if the region is
   too small. */
int session_make_sources(struct session *s, struct err *e);
struct request_source session_source(void *session, unsigned worker);
/* session_timed.c: adds the totals of the timed loops to contents.timing, after each round. */
void session_take_timing(struct session *s, double round_seconds, bool trial);

/* session_costs.c: returns the seconds that the comparisons after the last round take, for a
   precise result. */
double session_costs_seconds(const struct session *s);
/* session_precision.c: returns the length of the next round after `measured` seconds. */
double session_next_round(const struct session *s, double measured);
/* Judges the measurement so far: is it as precise as the plan asks? Also used for a record that was
   read. */
bool session_is_precise(struct session *s);
/*
 * session_look judges the measurement during a measured round, about once a second, also for
 * progress. It returns true if everything that was asked for is reached, so that the round ends.
 * session_begin_looks sets the first look to a second after the begin.
 */
void session_begin_looks(struct session *s);
bool session_look(struct session *s, double elapsed_seconds);

/* overhead.c: pairs of rounds with and without recording or watching, and the length of each. */
#define RECORDING_PAIRS        5
#define RECORDING_SECONDS      0.3
#define RECORDING_COST_SECONDS (2 * RECORDING_PAIRS * RECORDING_SECONDS)
#define WATCHING_PAIRS         4
#define WATCHING_SECONDS       0.1
#define WATCHING_COST_SECONDS  (2 * WATCHING_PAIRS * WATCHING_SECONDS)

/* session_rounds.c: trial rounds, measured rounds, the verdict. It never fails: the verdict says
   what went wrong. */
void session_measure(struct session *s);

/* overhead.c: measures the cost of measuring. Stores it in contents.overhead; may leave the session
   stuck. */
void session_measure_loop_cost(struct session *s);
void session_measure_recording_cost(struct session *s);
void session_measure_trace_cost(struct session *s); /* cost of --trace: stored in s->trace_cost */

/* ---- session_trace.c: the trace of the session's requests (--trace) ---- */

/* Creates the file of the trace before anything is touched. Returns -1 if it exists or cannot be
   created. */
int session_trace_create(struct session *s, struct err *e);
/* Starts the trace, when the workers are ready: it gets the requests that they finish. */
int session_trace_start(struct session *s, struct err *e);
/* Writes the rest of the trace after everything is measured, and puts the slowest requests into the
   contents. */
void session_trace_end(struct session *s);
/* Compares rounds with and without watching, once. May lower the rate if more rounds follow. */
void session_compare_watching(struct session *s, bool more_rounds);

/* overhead.c: runs a round like the measured ones that is not kept. The results are NaN if it did
   not run to its end; it may leave the session stuck. */
struct like_request {
    struct group *group;
    double seconds;
    bool recording, watching, traced;
    const char *stage; /* shown to the user */
};
struct like_round {
    double iops;
    double cpu_seconds; /* processor time per I/O, of the workers and of the kernel's threads
                           that work for them */
};
struct like_round session_like_round(struct session *s, const struct like_request *like);

/* block_layer_cost.c: after a session that bypassed the block layer, measures the cost of using it.
   Stores it in contents.block_layer; may leave the session stuck. */
void session_compare_block_layer(struct session *s);

/* device_status.c: reports the failures that the device reported, as notes and as settings of the
   node "errors", and whether it flushed its writes. Called once the workers have ended. */
void session_note_statuses(struct session *s);
/* Returns the NVMe status of a worker's first failure as " (NVMe: NAME)", or the reason why there
   is none; "" if neither is known. */
char *session_failure_status(const struct worker *w, char *to, size_t size);

/* session_watch.c: watches the machine during the measurement, at first as often as processor time
   permits. */
void session_watch_begin(struct session *s);
void session_watch_rate(struct session *s, double hertz);
/* Begins a measured round: no sample covers the time before it. */
void session_watch_round(struct session *s);
void session_watch_sample(struct session *s, bool counts); /* takes a sample if it is due */

/* ---- session_kernel_log.c: messages of the kernel during the session ---- */

void session_log_begin(struct session *s); /* reads from now on */
void session_log_names(struct session *s); /* call it once the data path is known */
/* Called in rounds and while waiting, with progress: one system call when it is due. */
void session_log_take(struct session *s);
/* Reads the rest, and warns if the kernel wrote about the target. */
void session_log_end(struct session *s);

/* ---- session_zones.c: zoned devices, --zonemode zbd ---- */

/* Reads the zones, once the target and the region are known, and refuses impossible plans. */
int session_open_zones(struct session *s, struct err *e);

/* ---- session_write_modes.c ---- */

/* ERR_MACHINE: the controller lacks a command that --write_mode names. */
int session_check_write_modes(const struct session *s, struct err *e);
/* Adds a note about the effects of the commands. */
void session_note_write_modes(struct session *s);

/* ---- session_trims.c ---- */

/* Checks whether the target can do the plan's trims. ERR_MACHINE, ERR_USAGE. Changes nothing. */
int session_check_trims(const struct session *s, struct err *e);
/* Adds a note if trims were of blocks that had been trimmed before. */
void session_note_trims(struct session *s);
void session_zones_after(struct session *s); /* call it after the workers have ended, while the
                                                target is open */
void session_free_zones(struct session *s);

/* ---- session_clock.c: puts host and clock into the record ---- */

/* Before and after everything is measured. These may run chronyc, for up to a second. */
void session_clock_begin(struct session *s);
void session_clock_end(struct session *s);
/* Called by the collector during a round: one system call when it is due. */
void session_clock_pause(struct session *s);
void session_watch_end(struct session *s);

/*
 * session_writeback.c: checks that writes through the page cache arrived. _begin is called before
 * the first write and _end after the last one: a session whose writes were lost has failed. _close
 * is called in any case, unless the session is stuck.
 */
void session_writeback_begin(struct session *s);
void session_writeback_end(struct session *s);
void session_writeback_close(struct session *s);

/* session_knobs.c: changes settings of the machine. Returns -1 if a requested setting cannot be
   changed. */
static inline struct knobs *session_knobs(struct session *s)
{
    struct session_shared *of = s->meeting ? s->shared->settings_of : s->shared;
    return of ? &of->knobs : &s->knobs;
}
/* Lists the disks that these settings apply to, before they are changed. */
int session_list_disks(struct session *s, struct err *e);
int session_set_knobs(struct session *s, struct err *e);
void session_restore_knobs(struct session *s);

/* session_settings.c: records as facts how it was measured, before and after. */
void session_settings_before(struct session *s);
void session_settings_after(struct session *s);

#endif
