/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work amounts of a session without unit readings, round after round (Li et al., *Pilot*
 * (2016), III-A and III-E).
 *
 *   trial     The work starts at the user's least amount a and doubles: until a round takes at
 *             least `shortest` seconds, which a rises to, and until rounds show how their duration
 *             grows with the work. Shorter rounds are kept and not used. When even the largest
 *             amounts of the upper half up to b are short, all rounds count (`too_short`).
 *   first estimate  n rounds in t seconds. A round of work a takes s seconds; rounds that grow by
 *                 k = (2 t - 2 s n) / (n^2 - n)                                       (equation 5)
 *             seconds reach from a to a + (n - 1) k speed, which is the range of work amounts. With
 *             s >= t / n there is no such k: t becomes 1.5 s n, at which the longest round takes
 *             twice the shortest.
 *   range     Its amounts are its midpoint, the midpoints of its halves, of its quarters ... from
 *             the least on (figure 3): n of them take as long as n that grow by k.
 *   going on  The error of the speed falls with the root of the number of rounds, and with the
 *             width of the range, up to b. After 15 rounds that leave more than 15 others to run,
 *             the range grows to what the precision asked for needs, to 4 times itself at most;
 *             after 7 rounds that show no speed at all, to 4 times. Not when the noise is
 *             proportional to the duration: then longer rounds show no more.
 *   lower end `a` rises to the work that is done in the time that set-up takes for certain (the low
 *             end of its interval), and to the bend of work_rate.h; half of the range is left.
 *
 * Amounts are whole numbers. Pure: the caller runs the rounds. One thread at a time.
 */
#ifndef CUPEL_STAT_WPS_WORK_AMOUNT_H
#define CUPEL_STAT_WPS_WORK_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/wps/work_rate.h"

#define WORK_QUICK_SECONDS 60.0
#define WORK_QUICK_ROUNDS  50
#define WORK_SHORTEST      1.0

struct work_limits {
    double min, max;      /* a and b of the user: 1 <= min < max < 2^53 */
    double shortest;      /* seconds; a round that takes less is not used */
    double quick_seconds; /* t, > 0 */
    size_t quick_rounds;  /* n, >= 2 */
    double width;         /* requested full width of the speed's interval over the speed, > 0 */
    size_t min_rounds;    /* requested minimum of rounds */
};

struct work_plan {
    struct work_limits limits;
    double low, high; /* the range that rounds are taken from */
    bool trial;       /* still looking for it */
    bool too_short;   /* the range has too few amounts of `shortest` seconds: all rounds count */
    bool setup_dominates; /* set-up takes longer than half of the range: it cannot be left out */
    size_t place;         /* rounds taken from the range so far */
    size_t taken;         /* rounds that were run after the trial */
    double next;          /* the work amount of the next round */
    struct work_round first, last; /* rounds of the trial */
};

/* The i-th amount, from 1, of the range (0, 1): 1/2, 1/4, 3/4, 1/8, 3/8 ... */
double work_midpoint(size_t i);

/* Seconds by which a round is longer than the one before it: equation 5, with t >= 1.5 s n. */
double work_slice_seconds(double t, double s, size_t n);

void work_plan_start(struct work_plan *plan, const struct work_limits *limits);

/* Is a round of this duration and work used by the plan as it stands? */
bool work_plan_uses(const struct work_plan *plan, const struct work_round *round);

/*
 * The round of plan->next took `seconds`. `rate` is what the used rounds show, that round included;
 * NULL while there is none.
 */
void work_plan_add(struct work_plan *plan, double seconds, const struct work_rate *rate);

struct work_forecast {
    double rounds;  /* still to run; NaN while it is not known */
    double seconds; /* time that they take */
};

/* What is left until the session may end. */
struct work_forecast work_plan_forecast(const struct work_plan *plan, const struct work_rate *rate);

/*
 * The session may end: enough rounds, as many of them after the trial, and the widened interval of
 * `rate` as narrow as asked for. In the trial the last round alone decides on the slope.
 */
bool work_plan_enough(const struct work_plan *plan, const struct work_rate *rate);

#endif
