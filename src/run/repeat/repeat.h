/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several independent sessions of one plan, spread over time, and one interval over them.
 *
 * The interval of a session is of that stretch of time. Levels of real devices wander from one
 * session to the next (heat, a drive's own work, neighbours), so that a claim about the machine
 * needs sessions that saw several of its states: stat/estimate/session_spread.h has the statistics.
 *
 *   - A session begins `every_seconds` after the one before it began, or at once where that one
 * took longer. Time is that of CLOCK_BOOTTIME, which goes on while the machine sleeps.
 *   - Each session has requests of its own: its seed is made of the plan's and its number, so that
 *     the same seed gives the same sequence of sessions. The first has the plan's.
 *   - The target is made and filled once; a device and a scratch file are held between sessions, a
 *     file with a name is examined anew by each. The machine's settings are set once and given back
 *     at the end (session_shared).
 *   - A session that is interrupted, or fails, is the last one and counts in no mean. One that
 *     reached its limit counts, and leaves the whole undecided.
 *
 * In a folder, session N (from 1) is kept in FOLDER/session-N as any session is, and repeat.cupel
 * holds how many began and what ended them. A result that is computed from the folder is the same.
 */
#ifndef CUPEL_RUN_REPEAT_REPEAT_H
#define CUPEL_RUN_REPEAT_REPEAT_H

#include "run/session/session.h"

/*
 * From p->repeat.sessions and every_seconds to a complete plan: `limit_given` means that
 * p->limit_seconds is for all sessions together, of which each gets its share; otherwise it is for
 * each. ERR_USAGE: the limit leaves no session enough time.
 */
int repeat_plan(struct plan *p, bool limit_given, struct err *e);

struct repeat_request {
    const struct plan *plan; /* after repeat_plan */
    const struct sysroot *root;
    const char *folder; /* exists and is empty; NULL: nothing is kept */
    const volatile sig_atomic_t *stop;
    const struct session_observer *observer;
    const struct common_start *start; /* the rank that runs them, or NULL */
    /* Called after each session with its folder, to write what people read; may be NULL. What fails
       there ends nothing: repeat_kept has the first error. */
    int (*keep)(void *context, const char *folder, const struct result *result, struct err *e);
    void *context;
};

struct repeat;

/* -1: the first session could not begin, nothing was measured. Else *repeat holds all
   measurements, whatever ended it. */
int repeat_run(struct repeat **repeat, const struct repeat_request *request, struct err *e);

/* Is `folder` one of a repeated run? */
bool repeat_is_folder(const char *folder);

/* Compute the sessions anew from their records. ERR_USAGE: no such folder, or sessions that do not
   belong together. Sessions that are missing or damaged throughout are said in a warning, and leave
   the whole undecided. */
int repeat_load(struct repeat **repeat, const char *folder, struct err *e);

/* The result over all sessions; it points into `repeat`. */
void repeat_result(struct repeat *repeat, struct result *r);

/* -1: something could not be kept, and the first error. */
int repeat_kept(const struct repeat *repeat, struct err *e);

void repeat_free(struct repeat *repeat);

#endif
