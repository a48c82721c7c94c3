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
 * Returns the claim about x[0..n), whose judgement is `j`. `estimate` is the estimate that needs
 * the most readings, not yet widened, and `required_n` the number of readings that it needs.
 * `limit_n` is the number of readings at which the session ends; 0: no limit.
 */
struct level_claim level_seen(const double x[], const struct judgement *j,
                              const struct estimate *estimate, double required_n,
                              const struct stop_rule *rule, double reading_seconds, double limit_n);

/*
 * Returns true if measuring until the limit would be in vain: under long memory the requested
 * precision needs more than LEVEL_OUT_OF_REACH times `limit_n` readings, or the level wanders.
 * Returns false if the level moves or cycles, because that may end with time. A single answer may
 * be wrong by chance.
 */
bool level_out_of_reach(const struct level_claim *c, double limit_n);

/*
 * The repeated judgements of a running session. It ends early if every judgement in the last half
 * of the measured time, and in at least the last 20 s, found the precision out of reach.
 *
 * Share of sessions that are given up wrongly (60 sessions of fractional noise with d = .3,
 * readings of .1 s, a limit of 600 s): of those that would have become precise, 2 % with noise of
 * 8 % and 6 % with noise of 12 %. With a factor of 2 and judgements over .4 of the time these
 * shares were 5 % and 16 %. Sessions without memory are never given up.
 */
struct level_looks {
    bool any; /* the last judgement found the precision out of reach */
    /* measured seconds at the first judgement of the present unbroken series that found it out of
       reach */
    double since;
};

/* Adds a judgement after `seconds` of measuring. Returns true if the session is to end. */
bool level_gives_up(struct level_looks *looks, bool out_of_reach, double seconds);

#define LEVEL_LOOKS_SHARE 0.5
#define LEVEL_LOOKS_MIN   20.0 /* s */

/* A session is given up only if it needs at least this multiple of the readings that its limit
   allows. Otherwise it goes on to the limit, because the needed number is known only roughly: it
   grows with a high power of the width. */
#define LEVEL_OUT_OF_REACH 3.0

#endif
