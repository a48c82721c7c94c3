/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * This machine's own history: what `cupel run` measured, so that the next session can check what
 * the last one predicted.
 *
 * $XDG_STATE_HOME/cupel (default ~/.local/state/cupel) holds one file for each disk and workload,
 * KEY.history: a line journal (base/durable/line_journal.h) whose first line is the head and whose
 * other lines are one session each. Files have mode 0600, new folders 0700.
 *
 *   - Nothing is written through a link, into a folder or file that belongs to somebody else, into
 *     a file that is not a history, or onto a device that is measured.
 *   - Writers hold a lock on the folder. A file that reaches HISTORY_SESSIONS_MAX sessions is
 *     replaced, as a whole, by one with the newer half of them.
 *   - A line that was cut off by a full disk is cut away; one that is damaged is left out and
 *     counted.
 *
 * No function here can end a session: an error is a reason why nothing is kept.
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

/* ---- which sessions are repetitions of one another: history_key.c ---- */

/* Writes the key of a disk and a workload: 16 hexadecimal digits, a checksum of the disk's identity
   and of all fields of the plan that decide what is measured (not how long, how precisely, or with
   which seed). False: no memory. One thread at a time. */
bool history_key(char to[HISTORY_KEY], const char *identity, const struct plan *p);

/* ---- a session: history_session.c ---- */

/* The facts about a session's history in its settings, under this node. */
#define HISTORY_NODE   "history"
#define HISTORY_IS     "same disk and workload" /* the key */
#define HISTORY_KEPT   "kept in the history"    /* what happened: "yes", or "no: REASON" */
#define HISTORY_ASKED  "once it is judged"      /* the same, until then and in the session file */
#define HISTORY_LENGTH "shortest session"       /* what the differences between sessions ask for */
#define HISTORY_BEFORE "session before"
#define HISTORY_COUNT  "predictions before"
#define HISTORY_DIFFER "differences before"

/* Fills in the session that a result is of. False: it has none that another session
   could repeat: it failed, was interrupted, is one pass, or is a result over others. */
bool history_session_of(const struct result *r, struct history_session *to);

/* The first writes the session before, the counts of predictions and the differences between
   sessions as values of the facts above; the second reads them back. */
struct history_before {
    char session[160], count[160], differences[80]; /* "": there is none */
};
void history_before_write(const struct history *h, struct history_before *to);
/* Fills r->history from the result's settings and headline, widens the headline's prediction by
   what sessions were seen to differ by (and of the same number in another unit), and adds the row
   of the counts. */
void history_of_result(struct result *r);
void history_add_row(struct result *r); /* Adds the row of the counts only. */

/* ---- what sessions differ by: history_session.c ---- */

/*
 * A session knows how its own readings vary, not what comes and goes between sessions. So the
 * differences between sessions that followed each other, of the last PREDICTIONS_COUNTED pairs that
 * repeat one another at one level, are compared with what the first of each pair says of itself;
 * pairs count the more the less that is (R. DerSimonian, N. Laird, *Meta-analysis in clinical
 * trials*, 1986).
 */
struct between_sessions {
    double variance; /* of a session's value over the one before it less 1, beyond what the one
                        before says of itself; 0 or more */
    size_t pairs;
    double degrees; /* of freedom of the variance: 2/3 of the number of pairs that count, since
                       neighbouring differences share a session (J. von Neumann, 1941) */
    double seconds; /* mean length of the later sessions of the pairs */
};

/* Fewer pairs do not widen a prediction. */
#define BETWEEN_SESSIONS_MIN 4

/* `h` has been judged (history_judge). Pure. */
struct between_sessions between_sessions_of(const struct history *h);

/*
 * Returns by which share of the value, on each side, a prediction is uncertain for what happens
 * between sessions, by Student's t. It is added to the session's own half width as independent
 * errors are, by their squares. Pure.
 */
double between_sessions_half(const struct between_sessions *b, double confidence);

/*
 * Returns how long a session has to be for its value to lie within `half` (a share of it) of the
 * next one's, as far as what comes and goes between sessions evens out within longer ones: like
 * the mean of as many independent sessions. 0: too few pairs. Pure.
 */
double between_sessions_seconds(const struct between_sessions *b, double half, double confidence);

/* ---- judging: history_judge.c ---- */

/* Checks the prediction of `before` with the session that came next. */
void history_check(const struct history_session *before, struct history_session *next);
/* Checks all predictions, finds the levels, and fills in the answer. */
void history_judge(struct history *h);

/* ---- files: history_file.c ---- */

/* Writes the path of the folder, which need not exist. ERR_MACHINE: the environment names none. */
int history_folder(char to[PATH_MAX], struct err *e);

/* Reads a history and judges it; one without a file has no sessions. ERR_USAGE: the file is none of
   ours, or cannot be read. Owner: history_free. */
int history_load(struct history *h, const char *folder, const char *key, struct err *e);
void history_free(struct history *h);

/* Adds a session. `h` has key, target and workload. The error is the reason why it was not kept. */
int history_add(const char *folder, const struct history *h, const struct history_session *session,
                struct err *e);

/* Reads all histories of the folder; those that cannot be read are counted. Owner:
   histories_free. ERR_MACHINE. */
int histories_load(struct histories *to, const char *folder, struct err *e);
void histories_free(struct histories *of);

#endif
