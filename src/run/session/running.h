/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running session: what its parts share. Seen by src/run/session and src/run/parts alone. */
#ifndef CUPEL_RUN_SESSION_RUNNING_H
#define CUPEL_RUN_SESSION_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "facts/result.h"
#include "hw/component/component.h"
#include "hw/knob/knob.h"
#include "hw/monitor/monitor.h"
#include "hw/remote/remote_end.h"
#include "io/target/target.h"
#include "io/target/write_content.h"
#include "run/launch/rank_common_begin.h"
#include "run/launch/rank_common_start.h"
#include "run/launch/session_meeting.h"
#include "run/loop/worker_group.h"
#include "run/plan/plan.h"
#include "run/record/contents.h"
#include "run/record/record.h"
#include "run/replay/replay_source.h"
#include "run/result/session_judgement.h"
#include "run/session/part.h"
#include "run/session/session.h"
#include "run/watch/kept_inventory.h"

/* ---- a running session ---- */

#define SESSION_DISKS 128

struct session_shared {
    const struct common_start *start; /* NULL: there is no common start */
    struct target target;             /* kept open if it is a device or a scratch file */
    bool target_open;
    /* the target is a named file, which each session opens: `device` and `inode` must be the same
       each time */
    bool has_file;
    dev_t device; /* device that contains the file */
    ino_t inode;
    struct knobs knobs;
    double bytes_trimmed;    /* bytes of the target that earlier sessions have trimmed */
    bool stuck;              /* a worker still waits for the target, which stays open */
    struct meeting *meeting; /* sessions at the same time; NULL: this one is alone */
    /* index of this session in `meeting` */
    size_t member;
    /* session_shared of the member that changes the machine's settings for all */
    struct session_shared *settings_of;
    char disks[SESSION_DISKS][48]; /* names of this session's disks, for these settings */
    size_t disk_count;
    /* the machine as the first session found it; NULL: each session examines the machine */
    struct hardware_seen *seen;
};

#define SESSION_PASS_SLICE_SECONDS 0.01 /* length of slices for phases and traces */

/* The actual common start of several ranks or targets (session_common_start.c). */
struct session_begin {
    bool awaited;          /* the next measured round begins at the instant */
    bool punctual;         /* this thread has real-time priority until the round has begun */
    double waited_seconds; /* time of waiting, which --limit does not count */
    struct common_begin common;
};

struct session {
    struct arena arena; /* owns everything below except descriptors and threads */
    struct contents contents;

    /* used only while the session runs */
    const struct session_part *const *parts; /* the list (session.c) */
    void *own[SESSION_PARTS];                /* the state of each part */
    bool begun[SESSION_PARTS];               /* `prepare` of the part was called, or it has none */
    /* writes of earlier sessions; NULL: no other session reads them */
    struct written_before *before;
    const char *record_path; /* NULL: no record */
    struct clock clock;
    struct target target;
    bool target_open;
    const struct io_ops *ops;
    enum io_choice sqpoll, iopoll; /* as requested, or as io_choose measured */
    uint64_t region;               /* bytes that the workload covers, from the plan's offset on */
    struct workload_spec workload; /* workload of a timed plan that is not a replay */
    struct plan arranged;          /* the plan as adapted for the workers (session.c) */
    struct replay *replay;         /* NULL: not a replay */
    struct heartbeat heartbeat;
    struct group group;
    bool group_started;
    /* `stuck`: the workers wait for I/O that never completes; `trace_hangs`: the trace's writer
       does so */
    bool stuck, trace_hangs;
    struct record_writer record;
    const struct sysroot *root;
    const struct session_observer *observer;
    const volatile sig_atomic_t *stop;
    uint64_t began_ticks;
    struct hardware_target path_begin; /* where the data path begins */
    struct data_path path;             /* path of the target; its nodes are in contents.hardware */
    struct session_shared *shared;     /* NULL: target and settings belong to this session alone */
    struct components components;      /* the user's components, from plan.watch.graph */
    struct remote_end remote;          /* the server of plan.watch.remote, while it runs */
    const struct common_start *start;  /* NULL: there is no common start */
    struct session_begin begin;
    unsigned first_processor; /* index of worker 0's processor, as in placement.h */
    /* workers share threads with the sessions that run at the same time, one thread for each
       processor */
    bool carried;
    bool shares_processors;  /* workers share processors with each other, other ranks or targets:
                                no real-time priority */
    struct meeting *meeting; /* sessions at the same time; NULL: this one is alone */
    size_t member;           /* index of this session in `meeting` */
    int numa_node;           /* node that the target is attached to; -1: any, or not known */
    bool memory_bound;       /* buffers are on that node */
    struct session_progress progress;
    double overrun_seconds; /* sum over all rounds (see struct round_outcome) */
    double aside_share;     /* excluded time divided by counted time, in the last round */
    struct judged judged;   /* the last judgement */
    /* the present unbroken series of judgements that found the width out of reach */
    struct level_looks looks;
    double look_next_seconds; /* when the next judgement in this round is due (session_look) */
    struct clauses watched;   /* --stop-on-violation: clauses that a single request breaks */
    bool violated;            /* a watched clause is broken */
    struct result_clause clauses[2 * CLAUSES_MAX]; /* the clauses as judged after the last round */
    size_t clause_count;
};

static inline double session_seconds(const struct session *s)
{
    return (double)clock_ns(&s->clock, clock_ticks(&s->clock) - s->began_ticks) * 1e-9;
}

/* Returns the seconds left of --limit. Waiting for other ranks or targets does not count. */
static inline double session_seconds_left(const struct session *s)
{
    return s->contents.plan.ending.limit_seconds - (session_seconds(s) - s->begin.waited_seconds);
}

static inline bool session_stopped(const struct session *s)
{
    return s->stop && *s->stop;
}

/* Returns true if rounds with and without something can be compared: the rate is precise, and it is
   not determined by due times, which would hide costs. */
static inline bool session_compares(const struct session *s)
{
    return s->contents.verdict == VERDICT_PRECISE && !plan_is_timed(&s->contents.plan);
}

/* session_settings.c: adds a fact about how the session was measured, which every report shows. */
void session_setting(struct session *s, const char *node, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a fact about the launch; a common_fact whose context is the session. */
void session_launch_setting(void *session, const char *key, const char *value);
void session_settings_of_statistics(struct session *s);

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
/* Updates progress after all requested precision is reached: the remaining work takes `seconds`. */
void session_progress_ending(struct session *s, double seconds);

/* session_target.c */
int session_open_flag(const struct plan *plan); /* the flag of --sync: O_SYNC, O_DSYNC or 0 */
int session_open_target(struct session *s, struct err *e);
/*
 * Finds the region [offset, offset + size) that the workload covers, in bytes from the offset on.
 */
int session_find_region(struct session *s, struct err *e);
/* session_backend.c: chooses the requested backend, unless it cannot use the target. */
int session_choose_backend(struct session *s, struct err *e);
/* session_workers.c: decides the number of workers and the work of each. */
int session_arrange(struct session *s, struct err *e);

/*
 * session_common_start.c: waits for the common start of all ranks, if there is one, until shortly
 * before it. Everything must be prepared. Returns false if the session has ended; the verdict has
 * the reason.
 */
bool session_await_start(struct session *s);
/*
 * Waits until the instant of a common start at which the round must be ordered. Returns the begin
 * for round_request.
 *
 * Without a common start, but with --interval, it waits up to a second, but less than one batch,
 * so that the batches of a round of requests with due times begin at multiples of their length on
 * the wall clock: intervals of several machines then cover the same times. Other rounds do not
 * need to wait (see lead_ticks of round_order).
 */
uint64_t session_await_round(struct session *s, double batch_seconds);
/*
 * Called when the session has measured enough: returns true if it may end. One of several ranks
 * goes on until all ranks have measured enough, or until its limit.
 */
bool session_may_end(struct session *s);
/* Called in the round, once it has begun: gives this thread ordinary priority again. */
void session_end_punctuality(struct session *s);
/* Notes the instant at which the first measured round began. */
void session_note_begin(struct session *s, uint64_t begin_ticks);

/* ---- other sessions at the same time: session_shared.c ---- */

/*
 * Waits until the targets of all sessions are examined, so that none is written before that.
 * Returns -1 if another target cannot be measured, or if the user stopped the session. Does nothing
 * if the session is alone.
 */
int session_meet(struct session *s, struct err *e);
/* Waits until the machine's settings are changed as requested, for all sessions. */
int session_meet_settings(struct session *s, struct err *e);

/* session_rounds.c: returns true if the target failed in a round that ended with this status and
   outcome. The verdict then says how. */
bool session_round_failed(struct session *s, int status, const struct round_outcome *outcome,
                          const struct err *error);

/* session_due_requests.c: makes the sources of the timed workers' requests. Returns -1 if the
   region is too small. */
int session_make_sources(struct session *s, struct err *e);
/* session_due_requests.c: called after each round: adds the totals of the timed loops to
   contents.timing. */
void session_take_timing(struct session *s, double round_seconds, bool trial);

/* Slices of a round that may not count: up to two at its begin, and one that is cut at its end. */
enum { ROUND_ENDS_SLICES = 3 };

/* session_stop_rule.c: judges the measurement so far. Returns true if it is as precise as the plan
   asks. Also used for a record that was read. */
bool session_is_precise(struct session *s);
/* Called after session_is_precise returned false. Returns true if the requested width seems out of
   reach; a single judgement may be wrong. Also used for a record that was read. */
bool session_is_out_of_reach(struct session *s);
/* Returns the verdict of a session that its limit ends after session_is_precise returned false. */
enum verdict session_limit_verdict(struct session *s);
/* Prepares the judgements during the first round. With --stop-on-violation it finds the clauses
   that a single request breaks; session_see_violation looks for such a request in each batch, so
   that the round ends at once. */
void session_begin_looks(struct session *s);
void session_see_violation(struct session *s, const struct batch *batch);
/*
 * Judges the measurement during a measured round, about once a second and for the first time a
 * second after its begin, also for progress. Returns true if the round ends: everything that was
 * asked for is reached, or lies out of reach, or with --stop-on-violation a clause is broken.
 */
bool session_look(struct session *s, double elapsed_seconds);
/* Judges after a measured round. Returns true if the session ends, with the verdict set; otherwise
 *seconds is the length of the next round. */
bool session_is_decided(struct session *s, double *seconds);
/* Returns the length of the next round after `measured` seconds. */
double session_next_round(const struct session *s, double measured);

/* session_rounds.c: trial rounds, measured rounds, the verdict. It never fails: the verdict says
   what went wrong. */
void session_measure(struct session *s);

/* session_backend.c: returns true if the target has the command for such requests. For backends
   that bypass the block layer. */
bool session_has_command(const struct session *s, unsigned command);

/* failed_io_status.c: reports the failures that the device reported, as notes and as settings of
   the node "errors", and whether it flushed its writes. Called once the workers have ended. */
void session_note_statuses(struct session *s);
/* Returns the status of a worker's first failure as " (NVMe: NAME)" or " (SCSI: NAME)", or the
   reason why there is none; "" if neither is known. */
char *session_failure_status(const struct worker *w, char *to, size_t size);

#endif
