/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs several independent sessions of one plan, spread over time, and computes one interval over
 * them.
 *
 * The interval of a session is valid for its time only. Levels of real devices vary from one
 * session to the next (heat, a drive's own work, neighbours), so that a claim about the machine
 * needs sessions in several of its states: stat/estimate/session_spread.h has the statistics.
 *
 *   - A session begins `every_seconds` after the one before it began, or at once if that one took
 *     longer. The clock is CLOCK_BOOTTIME, which goes on while the machine sleeps.
 *   - Each session has requests of its own: its seed is computed from the plan's seed and its
 *     number, so that the same seed gives the same sequence of sessions. The first session has the
 *     plan's seed.
 *   - The target is made and filled once. A device and a scratch file are held between sessions; a
 *     file with a name is examined anew by each. The machine's settings are set once and restored
 *     at the end (session_shared).
 *   - A session that is interrupted or fails is the last one, and counts in no mean. One that
 *     reached its limit counts, and leaves the whole undecided.
 *
 * In a folder, session N (from 1) is kept in FOLDER/session-N as any session is, and repeat.cupel
 * holds how many began and what ended them. A result that is computed from the folder is the same.
 */
#ifndef CUPEL_MANY_REPEAT_REPEAT_H
#define CUPEL_MANY_REPEAT_REPEAT_H

#include "run/session/session.h"

/*
 * Completes a plan with p->repeat.sessions and every_seconds. `limit_given`: p->limit_seconds is
 * for all sessions together, and each gets its share; otherwise it is for each session. ERR_USAGE:
 * the limit leaves no session enough time.
 */
int repeat_plan(struct plan *p, bool limit_given, struct err *e);

struct repeat_request {
    const struct plan *plan; /* a plan that repeat_plan has completed */
    const struct sysroot *root;
    const char *folder; /* exists and is empty; NULL: nothing is kept */
    const volatile sig_atomic_t *stop;
    const struct session_observer *observer;
    const struct common_start *start; /* the rank that runs the sessions; NULL: this is no rank */
    /* Called after each session with its folder ("": it has none), to keep its result, to which it
       may add notes; may be NULL. An error does not end the run: repeat_kept returns the first one.
       */
    int (*keep)(void *context, const char *folder, struct result *result, struct err *e);
    void *context;
};

struct repeat;

/* Runs the sessions. Returns -1 if the first one could not begin, so that nothing was measured.
   Otherwise *repeat holds all measurements, no matter what ended the run. */
int repeat_run(struct repeat **repeat, const struct repeat_request *request, struct err *e);

/* Returns true if a repeated run is kept in `folder`. */
bool repeat_is_folder(const char *folder);

/*
 * Computes the sessions anew from their records. ERR_USAGE: there is no such folder, or its
 * sessions do not belong together. Missing or completely damaged sessions are named in a warning,
 * and leave the whole undecided.
 */
int repeat_load(struct repeat **repeat, const char *folder, struct err *e);

/* Fills the result over all sessions. The result points into `repeat`. */
void repeat_result(struct repeat *repeat, struct result *r);

/* Returns -1 with the first error if something could not be kept. */
int repeat_kept(const struct repeat *repeat, struct err *e);

void repeat_free(struct repeat *repeat);

#endif
