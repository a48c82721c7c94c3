/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks on many hosts agree on the instant at which they begin, through a folder that all of them
 * can access (--start-together). There is no server and no network protocol, only small files.
 *
 * Each prepared rank writes `ready-RANK` repeatedly, with the time that it has waited. Files of
 * an earlier run or of a dead rank do not change. The lowest rank whose file changes publishes
 * `start`: the instant, and the ranks that begin at it. It does so once all are ready, or after
 * the timeout without the missing ones. A rank follows a `start` that contains the random number
 * of its process, and therefore never the start of an earlier run. If there is a job
 * (launcher.h), its name is in the files' names, so that several jobs may share the folder.
 *
 * A rank that is not in the `start` of this run is late, and begins at once. A `start` is from
 * this run if its instant is after the process began, or if the job is the same.
 *
 * Hosts do not compare clocks: each waits for the published instant on its own clock.
 *
 * One thread at a time. The caller ends a gathering with gathering_close.
 */
#ifndef CUPEL_RUN_LAUNCH_RANK_GATHERING_H
#define CUPEL_RUN_LAUNCH_RANK_GATHERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/launch/launcher.h"

struct gathering;

struct gathering_request {
    const char *folder;
    const struct launcher *launcher; /* the launcher of several ranks; `size` must be known */
    double timeout_seconds;
    int64_t process_began_ns; /* on the wall clock */
};

struct gathering_state {
    uint32_t ready; /* number of ranks that are known to wait, including this rank */
    bool agreed;    /* there is an instant at which this rank begins */
    /* this rank begins at once: the other ranks have begun, or will begin, without it, or their
       clock is minutes or more ahead of this one's */
    bool late;
    int64_t instant_ns; /* instant of the start on the wall clock, if agreed or late */
};

/* Returns the interval in seconds at which gathering_look is to be called, which is how often the
   files change. */
double gathering_pause_seconds(const struct launcher *launcher);

/*
 * Checks that the folder exists or can be created, and that files can be created in it. ERR_USAGE:
 * one of these is not possible.
 */
int gathering_check(const char *folder, struct err *e);

/* Joins the gathering when this rank is prepared. ERR_TARGET, here and in gathering_look: the
   folder cannot be used. */
int gathering_open(struct gathering **gathering, const struct gathering_request *request,
                   struct err *e);

/*
 * Finds out which ranks are present, and publishes the instant if this rank must. Call it after an
 * agreement, too, until shortly before the instant, because a lower rank may publish another one.
 */
int gathering_look(struct gathering *gathering, struct gathering_state *state, struct err *e);

/* Lists the ranks that the published start does not wait for: "2, 5-7"; "" if there are none. */
char *gathering_missing(const struct gathering *gathering, char *to, size_t size);

/* Removes this rank's file. If the rank does not begin now, also removes a future start that it
   published. NULL is allowed. */
void gathering_close(struct gathering *gathering, bool begins);

/* ---- rank_common_end.c ---- */

/*
 * Ranks that began together end together (Li et al., Pilot (2016), VII): a rank that has measured
 * enough goes on until all ranks have, so that their intervals cover the same time.
 *
 * Each rank keeps `enough-RANK` in the folder of the gathering up to date, which says whether the
 * rank has measured enough. A rank that ends removes its file. A rank whose file does not change
 * counts as lost, and is not waited for. A separate thread reads and writes the files, because a
 * server may be slow; the measuring thread never waits for it.
 *
 * One thread at a time. The caller ends it with common_end_close.
 */
struct common_end;

/* Joins the ranks that the gathering's start names. Returns NULL if there is no memory or no
   thread, or if this rank is not among them: this rank then ends independently. */
struct common_end *common_end_open(const struct gathering *gathering);

/* Lets the others know, for good, that this rank has enough. Returns true once all have enough,
   have ended or are lost. Returns true if `end` is NULL. */
bool common_end_reached(struct common_end *end);

/* Lists the ranks that were lost before they had enough: "2, 5"; "" if there are none, or for
   NULL. */
char *common_end_lost(struct common_end *end, char *to, size_t size);

/* Removes this rank's file. NULL is allowed. */
void common_end_close(struct common_end *end);

#endif
