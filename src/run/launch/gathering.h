/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks on many hosts agree on the instant at which they begin, through a folder that all of them
 * see (--start-together). No process serves them and nothing is sent: there are small files only.
 *
 * Each rank that is prepared writes `ready-RANK` again and again, with how long it has waited. The
 * lowest rank whose file changes (which an old file of an earlier run, or that of a rank that died,
 * does not) publishes `start`: the instant, and the ranks that begin at it. It does so when all are
 * ready, or after the timeout without the missing ones. A rank follows a `start` that names this
 * very process by its random number, and so none of an earlier run. With a job (launcher.h) the
 * files' names hold it, and several jobs may share the folder.
 *
 * A rank that finds itself left out of a `start` of this run is late, and begins at once. The
 * `start` is of this run when the instant is after the process began, or the job is the same.
 *
 * Hosts compare no clocks: each goes to the published instant by its own.
 *
 * One thread. Owner: gathering_close.
 */
#ifndef CUPEL_RUN_LAUNCH_GATHERING_H
#define CUPEL_RUN_LAUNCH_GATHERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/launch/launcher.h"

struct gathering;

struct gathering_request {
    const char *folder;
    const struct launcher *launcher; /* of several ranks, `size` known */
    double timeout_seconds;
    int64_t process_began_ns; /* by the wall clock */
};

struct gathering_state {
    uint32_t ready;     /* ranks that are known to wait, this one included */
    bool agreed;        /* there is an instant, and this rank begins at it */
    bool late;          /* the others have begun, or will, without this rank, or go by a clock that
                           is minutes or more ahead of this one's: begin now */
    int64_t instant_ns; /* with agreed and late: by the wall clock */
};

/* How often gathering_look is to be called: its files change so often. */
double gathering_pause_seconds(const struct launcher *launcher);

/* The folder, which may be new, and files can be made in it. ERR_USAGE. */
int gathering_check(const char *folder, struct err *e);

/* This rank is prepared. ERR_TARGET: the folder cannot be used, also of the next. */
int gathering_open(struct gathering **gathering, const struct gathering_request *request,
                   struct err *e);

/* Look who is there, and publish the instant if that is this rank's to do. Also after an agreement,
   until shortly before the instant, for a lower rank may have published another one meanwhile. */
int gathering_look(struct gathering *gathering, struct gathering_state *state, struct err *e);

/* The ranks that the published start does not wait for: "2, 5-7"; "" when there are none. */
char *gathering_missing(const struct gathering *gathering, char *to, size_t size);

/* This rank's file goes, and unless it `begins` now, a start that it published and that has not
   come. NULL is none. */
void gathering_close(struct gathering *gathering, bool begins);

#endif
