/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: trial rounds, then rounds until the interval is as narrow as asked, the limit comes, a
 * signal arrives or the target fails. Paper 000 section III-E.
 */
#ifndef CUPEL_RUN_SESSION_H
#define CUPEL_RUN_SESSION_H

#include <signal.h>
#include <stddef.h>

#include "base/err.h"
#include "base/result.h"
#include "hw/sysroot.h"
#include "run/plan.h"

/* What the user is shown while a session runs. */
struct session_progress {
    const char *stage; /* "filling the scratch file", "trial round 2", "round 3" ... */
    double elapsed_seconds, limit_seconds;
    unsigned rounds;    /* finished, trial rounds left out */
    double done_share;  /* of the stage (filling), or NaN */
    bool mean_is_time;  /* the headline metric is a response time, in ns; else I/Os per second */
    double mean;        /* of the headline metric so far, NaN before there is one */
    double width_share; /* current full width over the mean, NaN before there is one */
    double target_share;
    double left_seconds; /* estimate of the time left, NaN when unknown */
    double rate;         /* IOPS in the last moments, NaN when unknown */
};

struct session_observer {
    void (*progress)(void *context,
                     const struct session_progress *progress); /* about 5 times a second */
    void *context;
};

struct session; /* everything that was measured, and its memory */

/*
 * Run `plan`. `record_path` is NULL or the record file to be made and flushed as the session goes.
 * `stop` becomes non-zero when the user wants an end (a signal). On success *session holds what was
 * measured, also when the target failed midway or the user stopped it (see session_result).
 * -1: nothing was measured at all.
 */
int session_run(struct session **session, const struct plan *plan, const struct sysroot *root,
                const char *record_path, const volatile sig_atomic_t *stop,
                const struct session_observer *observer, struct err *e);

/* Load what a record holds, up to its last whole chunk. ERR_USAGE: no record, or damaged
 * throughout. */
int session_load(struct session **session, const char *record_path, struct err *e);

/* Judge everything that was measured, and fill `result` (which points into the session). */
void session_result(struct session *session, struct result *result);

void session_free(struct session *session);

#endif
