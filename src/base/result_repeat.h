/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a result over several sessions has beside its rows (struct result): the sessions one by one,
 * and how they differ. Plain data; src/run fills it, src/report prints it.
 */
#ifndef CUPEL_BASE_RESULT_REPEAT_H
#define CUPEL_BASE_RESULT_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/result.h"

struct result_session {
    size_t number;        /* from 1 */
    double begin_seconds; /* since the first session began */
    double seconds;       /* of the whole session, preparation included */
    char date[40];        /* "2026-11-22 09:03:40 UTC" */
    uint64_t seed;
    enum verdict verdict;
    bool counted;      /* in the mean over sessions: it was not interrupted and did not fail */
    char failure[240]; /* VERDICT_FAILED: what happened */
    char phase[24];
    bool saturated;
    struct result_others others;
    char busy[160];
    struct result_row *rows; /* as in struct result */
    size_t row_count;
};

struct result_repeat {
    const struct result_session *sessions; /* in the order of time */
    size_t session_count;
    size_t asked;          /* number of sessions */
    double every_seconds;  /* asked for, from start to start; 0: one after the other */
    size_t counted;        /* sessions that the rows are over */
    size_t decided;        /* of them, those that reached a verdict of their own */
    size_t busy;           /* of them, those on a busy machine */
    double spread_seconds; /* from the first start to the end of the last counted session */

    /* of the headline, in its unit; NaN: not known (stat/session_spread.h) */
    double sd, within, between, intraclass;
    size_t holding;  /* counted sessions whose own interval holds the mean of all */
    size_t required; /* sessions that would be needed for the width asked for; 0: not known */

    size_t late; /* sessions that began later than asked, and by how much at most */
    double late_seconds;
    bool late_by_length;    /* each because the session before it took longer than that */
    enum err_code end_code; /* what ended it early: its exit status; ERR_NONE otherwise */
};

#endif
