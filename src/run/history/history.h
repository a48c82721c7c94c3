/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * This machine's own history: what `cupel run` measured, so that the next session can check the
 * last session's prediction.
 *
 * $XDG_STATE_HOME/cupel (default ~/.local/state/cupel) holds one file for each disk and workload,
 * KEY.history: a line journal (base/durable/line_journal.h) whose first line is the head and
 * whose other lines are one session each. Files have mode 0600, new folders 0700.
 *
 *   - Nothing is written through a link, into a folder or file that belongs to somebody else, into
 *     a file that is not a history, or onto a device that is measured.
 *   - Writers hold a lock on the folder. A file that reaches HISTORY_SESSIONS_MAX sessions is
 *     replaced, as a whole, by one with the newer half of them.
 *   - A line that a full disk cut short is removed. A damaged line is left out and counted.
 *
 * An error of a function here never ends a session: it is the reason why nothing was stored.
 */
#ifndef CUPEL_RUN_HISTORY_HISTORY_H
#define CUPEL_RUN_HISTORY_HISTORY_H

#include <limits.h>

#include "base/err.h"
#include "facts/history/history.h"
#include "facts/result.h"
#include "run/plan/plan.h"

#define HISTORY_KEY  17 /* with the '\0' */
#define HISTORY_FILE ".history"

/* ---- which sessions repeat one another: history_match.c ---- */

/* Writes the key of a disk and a workload: 16 hexadecimal digits, a checksum of the disk's identity
   and of all fields of the plan that decide what is measured. The length, the precision and the
   seed are not among them. Returns false if there is no memory. One thread at a time. */
bool history_key(char to[HISTORY_KEY], const char *identity, const struct plan *p);

/* ---- a session: history_session.c ---- */

/* Names of the facts about the history in a session's settings, below HISTORY_NODE. */
#define HISTORY_NODE   "history"
#define HISTORY_IS     "same disk and workload" /* the key */
#define HISTORY_KEPT   "kept in the history"    /* the value: "yes", or "no: REASON" */
#define HISTORY_ASKED  "once it is judged"      /* HISTORY_KEPT until the session is judged */
#define HISTORY_LENGTH "shortest session"       /* from the differences between sessions */
#define HISTORY_BEFORE "session before"
#define HISTORY_COUNT  "predictions before"
#define HISTORY_DIFFER "differences before"

/* Makes a session of the history from a result. Returns false if no other session could repeat it:
   it failed, was interrupted, was a single pass, or the result combines several sessions. */
bool history_session_of(const struct result *r, struct history_session *to);

/* Values of the facts above: the session before this one, the counts of its predictions, and the
   differences between sessions. history_before_write writes them; history_of_result reads them back
   from the settings. */
struct history_before {
    char session[160], count[160], differences[80]; /* "": there is none */
};
void history_before_write(const struct history *h, struct history_before *to);
/* Fills r->history from the result's settings and headline, and adds the row of the counts. Also
   widens the prediction of the headline, and of rows that show the same number in another unit, by
   the differences that were seen between sessions. */
void history_of_result(struct result *r);
void history_add_row(struct result *r); /* Adds the row of the counts only. */

/* ---- differences between sessions: between_sessions.c ---- */

/*
 * A session knows how its own readings vary, but not what changes between sessions. So the last
 * PREDICTIONS_COUNTED pairs of consecutive sessions that repeat one another at one level are taken,
 * and the difference of each pair is compared with the variance that its first session states. The
 * smaller that variance, the larger the weight of the pair (R. DerSimonian, N. Laird,
 * *Meta-analysis in clinical trials*, 1986).
 */
struct between_sessions {
    /* variance of the difference between a session's value and that of the session before it,
       beyond the variance that the earlier session states; relative to the square of the value; 0
       or more
     */
    double variance;
    size_t pairs;
    /* degrees of freedom of the variance: 2/3 of the effective number of pairs, since neighbouring
       differences share a session (J. von Neumann, 1941) */
    double degrees;
    double seconds; /* weighted mean length of the later session of each pair */
};

/* With fewer pairs, predictions are not widened. */
#define BETWEEN_SESSIONS_MIN 4

/* Computes the differences between sessions. `h` must have been judged (history_judge). Pure. */
struct between_sessions between_sessions_of(const struct history *h);

/*
 * Returns the half width, as a share of the value, by which differences between sessions widen a
 * prediction, by Student's t. The caller combines it with the half width of the session's own
 * interval as independent errors are combined: the squares are added. Returns 0 if there are too
 * few pairs. Pure.
 */
double between_sessions_half(const struct between_sessions *b, double confidence);

/*
 * Returns the seconds that a session must last for its value to lie within `half` (a share of the
 * value) of the next session's. It assumes that the differences average out in a longer session as
 * they do in the mean of several independent sessions of the same total length. Returns 0 if there
 * are too few pairs. Pure.
 */
double between_sessions_seconds(const struct between_sessions *b, double half, double confidence);

/* ---- judging: history_judge.c ---- */

/* Compares `next`, the session after `before`, with the prediction of `before`. Sets the outcome
   and the predicted interval in `next`. */
void history_check(const struct history_session *before, struct history_session *next);
/* Judges a history: checks each session's prediction with the session after it, finds the changes
   of the level, and sets `answer`. */
void history_judge(struct history *h);

/* ---- files: history_file.c ---- */

/* Writes the path of the folder, which need not exist. ERR_MACHINE: the environment names no
   folder. */
int history_folder(char to[PATH_MAX], struct err *e);

/* Reads a history and judges it. A history whose file does not exist has no sessions. ERR_USAGE:
   the file is not a history of cupel, or cannot be read. The caller frees the history with
   history_free. */
int history_load(struct history *h, const char *folder, const char *key, struct err *e);
void history_free(struct history *h);

/* Adds a session to a history's file. `h` needs its key, target and workload only. The error is the
   reason why the session was not kept. */
int history_add(const char *folder, const struct history *h, const struct history_session *session,
                struct err *e);

/* Reads all histories of the folder, and counts those that cannot be read. The caller frees them
   with histories_free. ERR_MACHINE: there is no memory. */
int histories_load(struct histories *to, const char *folder, struct err *e);
void histories_free(struct histories *of);

#endif
