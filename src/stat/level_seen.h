/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a judged series shows of its level: the range of its tenths, the last movement, the
 * precision that more readings would give (facts/change/level_claim.h). Pure, any thread.
 */
#ifndef CUPEL_STAT_LEVEL_SEEN_H
#define CUPEL_STAT_LEVEL_SEEN_H

#include "facts/change/level_claim.h"
#include "stat/judge.h"

/*
 * x[0..n) was judged to `j`. `estimate` is the one that needs the most readings, not yet widened;
 * `required_n` is how many it needs. `limit_n`: the number of readings that the session can take;
 * 0: it has no limit.
 */
struct level_claim level_seen(const double x[], const struct judgement *j,
                              const struct estimate *estimate, double required_n,
                              const struct stop_rule *rule, double reading_seconds, double limit_n);

/*
 * Would measuring until the limit be in vain? Under long memory the precision asked for lies beyond
 * `limit_n` readings by LEVEL_OUT_OF_REACH, or the level wanders. False where the level moves or
 * cycles: time may end that. A single look may err by chance.
 */
bool level_out_of_reach(const struct level_claim *c, double limit_n);

/*
 * Looks at a session while it runs. It ends early when all looks in the last half of the time
 * measured, and in the last 20 s at least, found the precision out of reach.
 *
 * How often that errs (fractional noise with d = .3, readings of .1 s, a limit of 600 s, 60
 * sessions): of those that would have become precise with noise of 8 % 2 % are given up, of those
 * with noise of 12 % 6 %. With a factor of 2 and looks over .4 of the time it
 * was 5 % and 16 %. Sessions without memory are never given up.
 */
struct level_looks {
    bool any;     /* the last look found it out of reach */
    double since; /* seconds measured at the first of the unbroken row of such looks */
};

/* Takes a look after `seconds` of measuring. Returns true if the session ends. */
bool level_gives_up(struct level_looks *looks, bool out_of_reach, double seconds);

#define LEVEL_LOOKS_SHARE 0.5
#define LEVEL_LOOKS_MIN   20.0 /* s */

/* Least ratio of the readings needed to those at the limit at which a session gives up. Below it
   the session goes on to its limit: the number is known only roughly, because it grows with a high
   power of the width. */
#define LEVEL_OUT_OF_REACH 3.0

#endif
