/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work amounts of a session without unit readings, round after round (Li et al., *Pilot*
 * (2016), III-A and III-E).
 *
 *   trial           The work starts at the user's minimum a and doubles until a round takes at
 *                   least `shortest` seconds, and until rounds show how their duration grows with
 *                   the work. The lower end a rises to the first amount that takes long enough;
 *                   shorter rounds are stored but not used. When even the largest amounts of the
 *                   upper half up to b are short, all rounds count (`too_short`).
 *   first estimate  n rounds in t seconds. A round of work a takes s seconds; rounds that grow by
 *                   k = (2 t - 2 s n) / (n^2 - n) seconds (equation 5) reach from a to
 *                   a + (n - 1) k speed, which is the range of work amounts. With s >= t / n there
 *                   is no such k: t becomes 1.5 s n, at which the longest round takes twice as
 *                   long as the shortest.
 *   range           The amounts are its midpoint, the midpoints of its halves, of its quarters
 *                   ..., each time from the smallest on (figure 3): n of them take as long as n
 *                   that grow by k seconds.
 *   growth          The error of the speed falls with the square root of the number of rounds, and
 *                   with the width of the range, up to b. After 15 rounds that leave more than 15
 *                   others to run, the range grows to what the requested precision needs, at most
 *                   to 4 times its width; after 7 rounds that show no speed at all, it grows to 4
 *                   times its width. It does not grow when the noise is proportional to the
 *                   duration: longer rounds then give no further information.
 *   lower end       a rises to the work that is done in the time that set-up certainly takes (the
 *                   low end of its interval), and to the bend of work_rate.h, but leaves half of
 *                   the range.
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
    double min, max;      /* range that the user gave, a and b: 1 <= min < max < 2^53 */
    double shortest;      /* minimum duration of a round in seconds; a shorter round is not used */
    double quick_seconds; /* seconds t of the first estimate, > 0 */
    size_t quick_rounds;  /* number of rounds n of the first estimate, >= 2 */
    double width;         /* requested full width of the speed's interval over the speed, > 0 */
    size_t min_rounds;    /* requested minimum number of rounds */
};

struct work_plan {
    struct work_limits limits;
    double low, high; /* range from which work amounts are taken */
    bool trial;       /* the trial is still looking for the range */
    /* the range has too few amounts that take `shortest` seconds: all rounds count */
    bool too_short;
    bool setup_dominates; /* set-up takes longer than half of the range: it cannot be excluded */
    size_t place;         /* number of work amounts taken so far from the present range */
    size_t taken;         /* number of rounds run after the trial */
    double next;          /* work amount of the next round */
    struct work_round first, last; /* first and last round of the trial */
};

/* Returns the i-th midpoint, from 1, as a share of the range: 1/2, 1/4, 3/4, 1/8, 3/8 ... */
double work_midpoint(size_t i);

/* Returns k, the seconds by which each round is to be longer than the round before it (equation 5;
   t is raised to 1.5 s n if it is smaller). */
double work_slice_seconds(double t, double s, size_t n);

void work_plan_start(struct work_plan *plan, const struct work_limits *limits);

/* Returns true if the plan, in its present state, uses a round of this duration and work. */
bool work_plan_uses(const struct work_plan *plan, const struct work_round *round);

/*
 * Adds the round of plan->next, which took `seconds`, and chooses the next amount. `rate` is the
 * result of the used rounds, including this one; NULL while there is none.
 */
void work_plan_add(struct work_plan *plan, double seconds, const struct work_rate *rate);

struct work_forecast {
    double rounds;  /* number of rounds that are still to run; NaN while it is unknown */
    double seconds; /* seconds that the rounds still to run will take */
};

/* Returns the work that remains until the session may end. */
struct work_forecast work_plan_forecast(const struct work_plan *plan, const struct work_rate *rate);

/*
 * Returns true if the session may end: there are enough rounds after the trial, and the widened
 * interval of `rate` is as narrow as requested. Rounds of the trial do not suffice, because the
 * last of them alone determines the slope.
 */
bool work_plan_enough(const struct work_plan *plan, const struct work_rate *rate);

#endif
