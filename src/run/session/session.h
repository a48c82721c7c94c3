/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session: trial rounds, then rounds until the interval is as narrow as requested, the time limit
   is reached, a signal arrives or the target fails. Li et al., Pilot (2016), III-E. */
#ifndef CUPEL_RUN_SESSION_SESSION_H
#define CUPEL_RUN_SESSION_SESSION_H

#include <signal.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/live_values.h"
#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "run/launch/rank_common_start.h"
#include "run/plan/plan.h"

/*
 * The progress of a running session, for the user. What is still missing is either the width of the
 * metric `index`, or described in `missing`. If both are empty, nothing is missing, or nothing is
 * known yet.
 */
struct session_progress {
    const char *stage; /* "writing the scratch file", "warming up", "round 3" ... */
    double elapsed_seconds;
    double limit_seconds;  /* infinite: no limit */
    unsigned rounds;       /* finished rounds, without trial rounds */
    double done_share;     /* share of the stage (writing a file), or NaN */
    double bytes_rate;     /* rate of that writing, bytes/s, or NaN */
    bool measuring;        /* a measured round is under way, or has just ended */
    bool mean_is_time;     /* the headline is a response time, in ns; else I/Os per second */
    double mean;           /* mean of the headline so far; NaN: not yet known */
    const char *mean_unit; /* unit of a mean that is not a time; NULL: "IOPS" */
    char index[48];        /* the metric that width_share belongs to, which is precise last:
                              "response time", "read.p99" */
    double width_share;    /* full width of the interval over the mean; NaN: not yet known */
    double target_share;   /* requested width_share; NaN: none is requested */
    char missing[128];     /* "waiting for 30 s minimum"; "": only the width is missing, or
                              nothing */
    bool left_is_least;    /* left_seconds is a lower bound: too little is measured yet to know
                              the scatter */
    double left_seconds;   /* expected time to the session's end; NaN: unknown */
    /* expected width_share at the limit, if the limit comes before everything is reached; NaN: it
       does not, or this is unknown */
    double limit_share;
    double rate; /* IOPS in the last moments; NaN: unknown */
    const struct live
        *live; /* for a full screen, if it was requested and something is known; or NULL */
    /* for a monitoring system, once a second, if it was requested; otherwise NULL */
    const struct exposed_op *exposed;
    size_t exposed_count;
};

/* Returns the progress of a session that has not begun. */
struct session_progress session_progress_unknown(void);

struct session_observer {
    void (*progress)(void *context,
                     const struct session_progress *progress); /* called about 5 times a second */
    void *context;
    void (*notice)(void *context, const char *words); /* called before the session begins; may be
                                                         NULL */
    bool live;                                        /* progress should have `live` */
    bool exposes;                                     /* progress should have `exposed` */
};

struct session; /* everything that was measured, and its memory */

/*
 * Runs `plan`. `record_path` is NULL, or the record file to create, which is flushed during the
 * session; after -1 the file does not exist. `stop` becomes non-zero when the user wants to stop (a
 * signal). On success *session holds all measurements, even if the target failed midway or the user
 * stopped (see session_result). Returns -1 if nothing was measured.
 */
int session_run(struct session **session, const struct plan *plan, const struct sysroot *root,
                const char *record_path, const volatile sig_atomic_t *stop,
                const struct session_observer *observer, struct err *e);

/*
 * Returns 0 if a session of this plan, which writes its target, would not be refused now because of
 * the target's contents, its users or a missing permission. Nothing is made or changed. The errors
 * are those of target_open and disk_serial_check.
 */
int session_may_write(const struct plan *plan, struct err *e);

struct written_before; /* see run/verify/verify_reads.h */

struct session_launch {
    const struct common_start *start; /* NULL: there is no common start */
    /* written data for later sessions; NULL: no other session follows */
    struct written_before *before;
};

/*
 * Runs a session as one of many ranks: its rank is in its record, and its first measured round
 * begins at the common start, if there is one. A rank that is not ready in time begins at once and
 * reports that. The pointers in `launch` must stay valid during the run.
 */
int session_run_started(struct session **session, const struct plan *plan,
                        const struct sysroot *root, const char *record_path,
                        const volatile sig_atomic_t *stop, const struct session_observer *observer,
                        const struct session_launch *launch, struct err *e);

/* Runs a session with a given workload that the plan does not describe: plan->filament, with the
   largest request as block_size, and write_share. The workload must outlive the run. */
int session_run_workload(struct session **session, const struct plan *plan,
                         const struct workload_spec *workload, const struct sysroot *root,
                         const volatile sig_atomic_t *stop, struct err *e);

/*
 * The state that consecutive sessions share until the last of them has ended: the target (a device
 * and a scratch file stay open, a named file is examined anew and must be the same file) and the
 * machine's settings, which are restored at the end. One session at a time. Sessions of different
 * targets may run at the same time, each with its own struct (many/together/together.h).
 */
struct session_shared;
struct session_shared *session_shared_new(void); /* NULL: no memory */
/* Makes the sessions those of one rank of many, without a common start. `start` must outlive the
   sessions; NULL: they are not of a rank. */
void session_shared_rank(struct session_shared *shared, const struct common_start *start);
/*
 * Makes the next session a member of a meeting (run/launch/session_meeting.h): it runs at the same
 * time as the others, each in its own thread. `settings_of` changes the machine's settings for all
 * of them. A NULL meeting ends this.
 */
struct meeting;
void session_shared_meet(struct session_shared *shared, struct meeting *meeting, size_t member,
                         struct session_shared *settings_of);
/* Lets only the first session examine the machine: for many short sessions. */
void session_shared_look_once(struct session_shared *shared);
/* Gives the sessions a target that the caller has opened. session_shared_end closes it. */
struct target;
void session_shared_hold(struct session_shared *shared, const struct target *target);
/* Restores and closes everything. Returns -1 if a setting could not be restored; the error names
   it. */
int session_shared_end(struct session_shared *shared, struct err *e);

/*
 * Runs a session with the target and settings that the sessions before it have opened and changed.
 */
int session_run_shared(struct session **session, const struct plan *plan,
                       const struct sysroot *root, const char *record_path,
                       const volatile sig_atomic_t *stop, const struct session_observer *observer,
                       struct session_shared *shared, struct err *e);

/* Loads the contents of a record, up to its last whole chunk. ERR_USAGE: it is not a record, or is
   completely damaged. */
int session_load(struct session **session, const char *record_path, struct err *e);
/* Loads a record like session_load, for judging it by the clauses `sla` (session_judge_by): clauses
   about intervals have to be known while the record is read. */
int session_load_for(struct session **session, const char *record_path, const char *sla,
                     struct err *e);

/* Judges a loaded record by these clauses instead of those that it was measured with. ERR_USAGE:
   they are not valid clauses, or refer to something that was not measured. */
int session_judge_by(struct session *session, const char *sla, struct err *e);

/* Judges everything that was measured, and fills `result`, which points into the session. */
void session_result(struct session *session, struct result *result);

/* Return the complete plan of the session, and its whole duration, as in the record. */
const struct plan *session_plan(const struct session *session);
double session_length(const struct session *session);

/* Gives the inventory of the machine to the caller, who frees it with inventory_free. Earlier
   results must not be used any more. */
struct inventory session_take_hardware(struct session *session);

void session_free(struct session *session);

#endif
