/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations for consecutive sessions: those of --repeat, and those of a search for a rate. */
#ifndef CUPEL_MANY_REPEAT_INTERNAL_H
#define CUPEL_MANY_REPEAT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "many/repeat/find_rate.h"
#include "many/repeat/repeat.h"
#include "run/plan/plan.h"
#include "stat/estimate/rate_search.h"

/* ---- repeated sessions: repeat*.c ---- */

enum repeat_ending {
    /* only in a folder that is loaded: the program was killed, or repeat.cupel was lost */
    REPEAT_RUNNING,
    REPEAT_DONE,
    REPEAT_INTERRUPTED,
    REPEAT_LIMIT,  /* the common limit came before the last session began */
    REPEAT_FAILED, /* a session has failed, or could not begin */
};

/* Facts about all sessions together, which no session's record contains. */
struct repeat_end {
    uint32_t begun; /* number of sessions that began */
    enum repeat_ending ending;
    enum err_code code; /* for REPEAT_FAILED: the exit status */
    char message[240];  /* for REPEAT_FAILED: the reason; "": the last session has the reason */
    char warning[240];  /* a setting that could not be restored; or "" */
};

/* A warning of one session, or the same warning of several. */
struct repeat_note {
    struct result_note note;
    size_t first;    /* index of the first session that has this warning */
    size_t sessions; /* number of sessions that have this warning */
};

struct repeat {
    struct plan plan;                /* plan of the first session */
    struct result *result;           /* result of the session that has just ended */
    struct result common;            /* what all sessions have in common; contains no pointers */
    struct result_session *sessions; /* memory for plan.repeat.sessions elements */
    size_t session_count;
    struct repeat_note *notes;
    size_t note_count;
    struct repeat_end end;
    struct inventory hardware; /* hardware of the first session */
    bool damaged;              /* some sessions that began are missing */
    struct err keep_error;
    struct result_repeat view; /* part of the result over all sessions */
};

/* repeat_sessions.c: allocates memory for the plan's sessions. Returns NULL when memory runs
   out. */
struct repeat *repeat_new(const struct plan *plan, struct err *e);

/* repeat_sessions.c: keeps the values of the session whose result is in repeat->result. The
   session's memory stays the caller's, except the hardware of the first one, which moves here. */
void repeat_take(struct repeat *repeat, struct session *session);

#define REPEAT_PATH 1100
void repeat_end_path(char to[REPEAT_PATH], const char *folder);

/* repeat_sessions.c: returns the seed of session `index`. */
uint64_t repeat_seed(uint64_t seed, uint32_t index);

/* ---- a search for a rate: find_rate*.c ---- */

enum find_rate_ending {
    FIND_RATE_GOES_ON,
    FIND_RATE_LIMIT,
    FIND_RATE_INTERRUPTED,
    FIND_RATE_CUT_SHORT, /* one of the search's records has no end, or is damaged */
    FIND_RATE_FAILED,
};

struct find_rate {
    struct plan plan; /* plan as requested */
    struct rate_search search;
    struct result_probe probes[RATE_PROBES_MAX]; /* the first search.count are in use */
    struct result *result;                       /* result of the session that has just ended */
    struct result *common;                       /* result of the session whose rows are shown */
    double common_rate;
    struct inventory hardware; /* hardware of the first session */
    enum find_rate_ending ending;
    enum err_code code; /* for FIND_RATE_FAILED: the exit status, and the reason */
    char message[240];
    char warning[240]; /* a setting that could not be restored; or "" */
    struct err keep_error;
    struct result_rates view;
};

#endif
