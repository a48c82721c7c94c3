/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session of rounds of different work amounts: the amount of the next round (work_amount.h), and
 * the speed that all of them show (work_rate.h).
 *
 * The amounts follow from the rounds alone, so that a record gives the same session again. The line
 * they rest on is fitted for every round at first, then for every fiftieth part more of them: a
 * hundred thousand rounds do not slow down. What is judged is always fitted to all of them.
 *
 * It owns its memory, which grows with the rounds. One thread at a time.
 */
#ifndef CUPEL_STAT_WPS_WORK_SESSION_H
#define CUPEL_STAT_WPS_WORK_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "stat/wps/work_amount.h"
#include "stat/wps/work_rate.h"

struct work_session {
    struct work_plan plan;
    struct work_round *rounds, *used; /* those that were measured; room for those of a line */
    size_t count, capacity;
    struct work_rate planned; /* the fit on which the next amounts are based */
    size_t fit_at;            /* number of rounds after which `planned` is fitted again */
    struct arena scratch;

    /* What was judged last. */
    struct work_rate rate;
    struct work_forecast left;
    bool enough;
};

/* `w` is zero. */
void work_session_begin(struct work_session *w, const struct work_limits *limits);
void work_session_free(struct work_session *w);

/* A round was measured; w->plan.next then is the next work amount. ERR_MACHINE: no memory, and the
   round is not taken. */
int work_session_add(struct work_session *w, const struct work_round *round, double confidence,
                     struct err *e);

/* Fit all rounds that count: w->rate, w->left, w->enough. */
void work_session_judge(struct work_session *w, double confidence);

/*
 * The seconds that a round of `work` takes, as work_rate_duration gives them, by what was judged
 * last: on the line of the rounds that count, or for less work on that of the others where it says
 * something else, since a cache or a warm-up gives it another slope; between them, on either side
 * of where the two lines cross.
 */
struct work_rate work_session_duration(struct work_session *w, double work, double confidence,
                                       bool widened);

#endif
