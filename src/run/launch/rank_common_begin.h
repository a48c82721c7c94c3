/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes how one rank began and ended together with the others, and makes the sentences in which
 * reports say so. A session of I/O (run/session) and a session of a program's rounds (program/exec)
 * fill the same struct.
 */
#ifndef CUPEL_RUN_LAUNCH_RANK_COMMON_BEGIN_H
#define CUPEL_RUN_LAUNCH_RANK_COMMON_BEGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/launch/rank_common_start.h"
#include "run/launch/rank_gathering.h"

struct common_begin {
    int64_t instant_ns; /* common start on the wall clock; 0: there is none (yet) */
    int64_t begun_ns;   /* begin of the first measured round; 0: there was none */
    bool late;
    char missing[120];      /* ranks that did not come in time; "": none */
    struct common_end *end; /* lets this rank and the others end together; NULL: nobody waits */
    double enough_seconds; /* when this rank had enough, in s since the session began; 0: not yet */
    double all_seconds;    /* when all ranks had enough; 0: not yet */
};

/* A thread spins for this last part of a wait for the instant, because a sleeper wakes up late. */
#define COMMON_BEGIN_SPIN_NS 2000000

/* A rank that has enough and waits for others stops waiting this long before its time limit. */
#define COMMON_END_AHEAD_SECONDS 1.0

/* Joins the ranks in the folder, unless the instant was given; *gathering is then NULL. ERR_TARGET:
   see gathering_open. */
int common_begin_open(struct common_begin *b, const struct common_start *start,
                      struct gathering **gathering, struct err *e);

/* Finds out how many ranks are ready, and whether the instant is known. Errors as
   gathering_look. */
int common_begin_look(struct common_begin *b, struct gathering *gathering, uint32_t *ready,
                      struct err *e);

/* Writes what a rank that waits is doing: "waiting for other ranks, 2 of 4 ready". */
#define COMMON_BEGIN_STAGE 80
void common_begin_stage(const struct common_begin *b, const struct common_start *start,
                        uint32_t ready, char to[COMMON_BEGIN_STAGE]);

/* Sets the begin of the first measured round. Returns true if that makes the rank late, although it
   was ready in time. */
bool common_begin_set(struct common_begin *b, int64_t begun_ns);

/* Says that this rank has enough. Returns true if it need not wait for the others any more. `now`:
   seconds since the session began. */
bool common_begin_may_end(struct common_begin *b, double now);

/* ---- what reports say ---- */

#define COMMON_BEGIN_WORDS 240

/* Says why a rank is late that was not ready in time. `who`: "rank" or "target"; `remedy`: what to
   do about it. */
char *common_begin_late_words(const struct common_begin *b, const char *who, const char *remedy,
                              char to[COMMON_BEGIN_WORDS]);
/* Says that the first round began late, after common_begin_set has returned true. */
char *common_begin_set_words(const struct common_begin *b, const char *who,
                             char to[COMMON_BEGIN_WORDS]);
/* Says which ranks were not waited for; "": there are none. */
char *common_begin_missing_words(const struct common_begin *b, const struct common_start *start,
                                 char to[COMMON_BEGIN_WORDS]);
/* Returns words for what the user can do about a rank that was not ready in time. */
const char *common_begin_remedy(const struct common_start *start);

/* Adds a fact about the launch to a report. */
typedef void common_fact(void *context, const char *key, const char *value);

/* Adds which rank this is, and how it was to begin. Nothing, without a launcher or a start. */
void common_start_facts(const struct common_start *start, common_fact *add, void *context);
/* Adds facts about when the ranks, and this rank, began. Adds nothing without a common start. */
void common_begin_facts(const struct common_begin *b, common_fact *add, void *context);

/* Ends the waiting for others: adds for how long this rank measured on, and says which ranks were
   lost; "": none. May be called again. */
char *common_begin_close(struct common_begin *b, common_fact *add, void *context,
                         char to[COMMON_BEGIN_WORDS]);

#endif
