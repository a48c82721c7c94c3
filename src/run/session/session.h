/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: trial rounds, then rounds until the interval is as narrow as asked, the limit comes, a
 * signal arrives or the target fails. Li et al., Pilot (2016), III-E.
 */
#ifndef CUPEL_RUN_SESSION_SESSION_H
#define CUPEL_RUN_SESSION_SESSION_H

#include <signal.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/live.h"
#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "run/launch/common_start.h"
#include "run/plan/plan.h"

/*
 * Progress, as the user is shown it while a session runs. What is still missing is either a width,
 * of `index`, or stands in words in `missing`; where both are empty nothing is, or nothing is known
 * yet.
 */
struct session_progress {
    const char *stage; /* "writing the scratch file", "warming up", "round 3" ... */
    double elapsed_seconds;
    double limit_seconds;  /* infinite: none */
    unsigned rounds;       /* finished, trial rounds left out */
    double done_share;     /* of the stage (writing a file), or NaN */
    double bytes_rate;     /* of that writing, bytes/s; or NaN */
    bool measuring;        /* a round that counts is under way, or has just ended */
    bool mean_is_time;     /* the headline metric is a response time, in ns; else I/Os per second */
    double mean;           /* of the headline metric so far, NaN before there is one */
    const char *mean_unit; /* of a mean that is no time; NULL: "IOPS" */
    char index[48];        /* of the next two: what is precise last, "response time", "read.p99" */
    double width_share;    /* full width over the mean, NaN before there is one */
    double target_share;   /* asked for; NaN: none is */
    char missing[128];     /* "waiting for 30 s minimum"; "": the width, or nothing */
    bool left_is_least;    /* of the next: too little is measured yet to say how much it scatters */
    double left_seconds;   /* until the session is over, by all that is known; NaN when unknown */
    double limit_share;    /* full width over the mean that can be had by the limit, where it comes
                              before all is reached; NaN: it does not, or nobody knows */
    double rate;           /* IOPS in the last moments, NaN when unknown */
    const struct live
        *live; /* for a full screen, where one was asked for and something is known; or NULL */
    const struct exposed_op *exposed; /* once a second, where it was asked for; else NULL */
    size_t exposed_count;
};

/* One of a session that is not there yet. */
struct session_progress session_progress_unknown(void);

struct session_observer {
    void (*progress)(void *context,
                     const struct session_progress *progress); /* about 5 times a second */
    void *context;
    void (*notice)(void *context, const char *words); /* before it begins; NULL: to nobody */
    bool live;                                        /* progress has its `live` */
    bool exposes;                                     /* ... and its `exposed` */
};

struct session; /* everything that was measured, and its memory */

/*
 * Run `plan`. `record_path` is NULL or the record file to be made and flushed as the session goes;
 * after -1 there is none.
 * `stop` becomes non-zero when the user wants an end (a signal). On success *session holds all
 * measurements, also when the target failed midway or the user stopped it (see session_result).
 * -1: nothing was measured at all.
 */
int session_run(struct session **session, const struct plan *plan, const struct sysroot *root,
                const char *record_path, const volatile sig_atomic_t *stop,
                const struct session_observer *observer, struct err *e);

struct written_before; /* run/verify/verify.h */

struct session_launch {
    const struct common_start *start; /* or NULL */
    struct written_before *before;    /* or NULL: the session stands alone */
};

/*
 * session_run as one of many ranks: its place among them stands in its record, and its first
 * measured round begins at the common start, if there is one. A rank that is not ready in time
 * begins at once and says so. What `launch` points to outlives the session's run.
 */
int session_run_started(struct session **session, const struct plan *plan,
                        const struct sysroot *root, const char *record_path,
                        const volatile sig_atomic_t *stop, const struct session_observer *observer,
                        const struct session_launch *launch, struct err *e);

/*
 * session_run of a workload that is given, not described by the plan: plan->filament, with the
 * largest request as block_size, and write_share. The workload outlives the session's run.
 */
int session_run_workload(struct session **session, const struct plan *plan,
                         const struct workload_spec *workload, const struct sysroot *root,
                         const volatile sig_atomic_t *stop, struct err *e);

/*
 * What sessions that follow each other have in common, until the last of them has ended: the target
 * (a device and a scratch file are held, a file with a name is examined anew and has to be the same
 * one) and the machine's settings, which are given back then. One session at a time. Sessions of
 * different targets may run at the same time, each with its own (run/together/together.h).
 */
struct session_shared;
struct session_shared *session_shared_new(void); /* NULL: no memory */
/* They are one rank's of many, without a common start. `start` outlives them; NULL is none. */
void session_shared_rank(struct session_shared *shared, const struct common_start *start);
/*
 * The next session of it is that member of a meeting (run/launch/meeting.h), and runs at the same
 * time as the others, each in its own thread. `settings_of` sets the machine's settings for all
 * of them. A meeting of NULL ends this.
 */
struct meeting;
void session_shared_meet(struct session_shared *shared, struct meeting *meeting, size_t member,
                         struct session_shared *settings_of);
/* Only the first of them looks at what the machine is: for many short ones. */
void session_shared_look_once(struct session_shared *shared);
/* They use this target, which the caller has opened: it is closed with the rest. */
struct target;
void session_shared_hold(struct session_shared *shared, const struct target *target);
/* Give everything back. -1: a setting could not be restored, and the error says which. */
int session_shared_end(struct session_shared *shared, struct err *e);

/* session_run, with the target and settings that the sessions before it have opened and set. */
int session_run_shared(struct session **session, const struct plan *plan,
                       const struct sysroot *root, const char *record_path,
                       const volatile sig_atomic_t *stop, const struct session_observer *observer,
                       struct session_shared *shared, struct err *e);

/* Load the contents of a record, up to its last whole chunk. ERR_USAGE: no record, or damaged
 * throughout. */
int session_load(struct session **session, const char *record_path, struct err *e);
/* The same, to be judged by other clauses (session_judge_by): those about intervals are counted
   while the record is read. */
int session_load_for(struct session **session, const char *record_path, const char *sla,
                     struct err *e);

/*
 * Judge a loaded record by these clauses instead of those that it was measured with. ERR_USAGE:
 * they are none, or about something that was not measured.
 */
int session_judge_by(struct session *session, const char *sla, struct err *e);

/* Judge everything that was measured, and fill `result` (which points into the session). */
void session_result(struct session *session, struct result *result);

/* The plan that it ran, complete, and how long it took in all, as its record has it. */
const struct plan *session_plan(const struct session *session);
double session_length(const struct session *session);

/* The inventory of the machine becomes the caller's (inventory_free): results made before point to
   nothing any more. */
struct inventory session_take_hardware(struct session *session);

void session_free(struct session *session);

#endif
