/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session of rounds of different work amounts: the amount of the next round (work_amount.h),
 * and the speed that all of them show (work_rate.h).
 *
 * The amounts follow from the rounds alone, so a recording reproduces the session. The line from
 * which they follow is fitted after every round at first, and later each time there are 2 % more
 * rounds, so that even a hundred thousand rounds take little time. A judgement is always fitted
 * to all rounds.
 *
 * A session owns its memory, which grows with the rounds. One thread at a time.
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
    /* `rounds`: all measured rounds; `used`: scratch for the rounds to which a line is fitted */
    struct work_round *rounds, *used;
    size_t count, capacity;
    struct work_rate planned; /* the fit from which the next amounts follow */
    size_t fit_at;            /* number of rounds at which `planned` is fitted again */
    struct arena scratch;

    /* The result of the last judgement. */
    struct work_rate rate;
    struct work_forecast left;
    bool enough;
};

/* Begins a session. `w` must be a struct of zeros. */
void work_session_begin(struct work_session *w, const struct work_limits *limits);
void work_session_free(struct work_session *w);

/* Adds a measured round; w->plan.next is then the next work amount. ERR_MACHINE: no memory, and the
   round is not added. */
int work_session_add(struct work_session *w, const struct work_round *round, double confidence,
                     struct err *e);

/* Fits all rounds that count, and sets w->rate, w->left and w->enough. */
void work_session_judge(struct work_session *w, double confidence);

/*
 * Returns the seconds that a round of `work` takes, as work_rate_duration does, according to the
 * last judgement. They are computed from the line of the rounds that count. For less work than
 * these rounds have, the line of the smaller rounds is used if it gives another result, because a
 * cache or a warm-up can give it another slope. For work between the two groups of rounds, the side
 * of the point where the lines cross decides.
 */
struct work_rate work_session_duration(struct work_session *w, double work, double confidence,
                                       bool widened);

#endif
