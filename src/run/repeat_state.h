/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/repeat*.c share. */
#ifndef CUPEL_RUN_REPEAT_STATE_H
#define CUPEL_RUN_REPEAT_STATE_H

#include "base/result_repeat.h"
#include "run/repeat.h"

enum repeat_ending {
    REPEAT_RUNNING, /* as a record says it: killed, or the end was lost */
    REPEAT_DONE,
    REPEAT_INTERRUPTED,
    REPEAT_LIMIT,  /* the limit of all came before the last session */
    REPEAT_FAILED, /* a session failed, or could not begin */
};

/* What no session's record holds. */
struct repeat_end {
    uint32_t begun; /* sessions */
    enum repeat_ending ending;
    enum err_code code; /* REPEAT_FAILED: the exit status, ... */
    char message[240];  /* ... and why; "": the last session says it */
    char warning[240];  /* of the end: a setting that could not be given back; or "" */
};

/* A warning of one session or of several alike. */
struct repeat_note {
    struct result_note note;
    size_t first;    /* the first session that has it, from 0 */
    size_t sessions; /* how many have it */
};

struct repeat {
    struct plan plan;                /* of the first session */
    struct result *result;           /* of the session that has just ended */
    struct result common;            /* what all sessions have alike; points to nothing */
    struct result_session *sessions; /* room for plan.repeat.sessions */
    size_t session_count;
    struct repeat_note *notes;
    size_t note_count;
    struct repeat_end end;
    struct inventory hardware; /* of the first session */
    bool damaged;              /* sessions that began are missing */
    struct err keep_error;
    struct result_repeat view; /* of the result over all */
};

/* repeat_sessions.c: room for the plan's sessions. NULL: no memory. */
struct repeat *repeat_new(const struct plan *plan, struct err *e);

/* repeat_sessions.c: take in the session whose result is in repeat->result; its memory stays the
   caller's, but the hardware of the first one is taken along. */
void repeat_take(struct repeat *repeat, struct session *session);

/* repeat_folder.c */
int repeat_end_write(const char *folder, const struct repeat_end *end, struct err *e);
#define REPEAT_PATH 1100
void repeat_end_path(char to[REPEAT_PATH], const char *folder);
void repeat_session_folder(char to[REPEAT_PATH], const char *folder, uint32_t index);
void repeat_record_path(char to[REPEAT_PATH], const char *folder, uint32_t index);

/* repeat.c: the seed of session `index`. */
uint64_t repeat_seed(uint64_t seed, uint32_t index);

#endif
