/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes the level of a judged series: the range of its tenths, the last movement, and the
 * precision that more readings would give (facts/change/level_claim.h). Pure, any thread.
 */
#ifndef CUPEL_STAT_LEVEL_SEEN_H
#define CUPEL_STAT_LEVEL_SEEN_H

#include "facts/change/level_claim.h"
#include "stat/judge.h"

/*
 * Fills in the claim for x[0..n), which was judged to `j`. `estimate` is the one that needs the
 * most readings, not yet widened; `required_n` is the number that it needs. `limit_n`: the number
 * of readings at which the session ends; 0: no limit.
 */
struct level_claim level_seen(const double x[], const struct judgement *j,
                              const struct estimate *estimate, double required_n,
                              const struct stop_rule *rule, double reading_seconds, double limit_n);

/*
 * Returns true if measuring until the limit would be in vain: under long memory the requested
 * precision needs more than LEVEL_OUT_OF_REACH times `limit_n` readings, or the level wanders.
 * False where the level moves or cycles, since that may end with time. A single answer may be wrong
 * by chance.
 */
bool level_out_of_reach(const struct level_claim *c, double limit_n);

/*
 * The looks at a running session. It ends early when every look in the last half of the time
 * measured, and in at least the last 20 s, found the precision out of reach.
 *
 * Share of sessions that are given up wrongly (60 sessions of fractional noise with d = .3,
 * readings of .1 s, a limit of 600 s): of those that would have become precise, 2 % with noise of 8
 * % and 6 % with noise of 12 %. With a factor of 2 and looks over .4 of the time it was 5 % and 16
 * %. Sessions without memory are never given up.
 */
struct level_looks {
    bool any;     /* the last look found the precision out of reach */
    double since; /* seconds measured at the first of the latest unbroken series of such looks */
};

/* Adds a look after `seconds` of measuring. Returns true if the session ends. */
bool level_gives_up(struct level_looks *looks, bool out_of_reach, double seconds);

#define LEVEL_LOOKS_SHARE 0.5
#define LEVEL_LOOKS_MIN   20.0 /* s */

/* A session is given up only if it needs this many times the readings of its limit. Below that it
   goes on to the limit: the number needed is known only roughly, because it grows with a high power
   of the width. */
#define LEVEL_OUT_OF_REACH 3.0

#endif
