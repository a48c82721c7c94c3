/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the level of a series that judge() has judged. */
#include "stat/level_seen.h"

#include <math.h>

#include "stat/basic/descriptive.h"

/* Sets the change of the level: the slow shift if one was found, otherwise the change from the
   middle third to the last third. */
static void take_movement(struct level_claim *c, const double x[], size_t n,
                          const struct slow_shift *shift)
{
    const struct level_shift share = slow_shift_share(shift);
    const size_t third = n / 3;
    if (share.found && isfinite(share.share)) {
        c->change = share.share;
        c->change_readings = share.readings;
        return;
    }
    if (!third)
        return;
    const double before = mean_of(x + n - 2 * third, third), last = mean_of(x + n - third, third);
    if (before == 0)
        return;
    c->change = (last - before) / fabs(before);
    c->change_readings = third;
}

struct level_claim level_seen(const double x[], const struct judgement *j,
                              const struct estimate *estimate, double required_n,
                              const struct stop_rule *rule, double reading_seconds, double limit_n)
{
    struct level_claim c = level_claim_unknown();
    const size_t n = j->stable_end - j->stable_begin;
    c.state = j->level;
    c.doubt = j->doubt;
    c.readings_before = j->stable_begin;
    c.memory = estimate->memory;
    c.reading_seconds = reading_seconds;
    c.readings = n;
    c.needed_readings = required_n;
    if (limit_n > 0)
        c.limit_width = stop_expected_width(estimate, rule, fmax(limit_n, (double)n));
    if (j->level == LEVEL_CYCLES && j->period.found)
        c.cycle_readings = j->period.readings;
    else if (j->level == LEVEL_CYCLES &&
             j->level_changes) /* a cycle consists of two changes: to another level and back */
        c.cycle_readings = 2 * (double)n / ((double)j->level_changes + 1);
    c.low = j->estimate.part_low; /* lowest mean of ESTIMATE_PARTS (ten) parts */
    c.high = j->estimate.part_high;
    take_movement(&c, x + j->stable_begin, n, &j->shift);
    return c;
}

bool level_out_of_reach(const struct level_claim *c, double limit_n)
{
    if (c->state == LEVEL_WANDERS)
        return true;
    return c->state == LEVEL_HOLDS && c->memory > 0 &&
           c->needed_readings > LEVEL_OUT_OF_REACH * limit_n;
}

bool level_gives_up(struct level_looks *looks, bool out_of_reach, double seconds)
{
    if (out_of_reach && !looks->any)
        looks->since = seconds;
    looks->any = out_of_reach;
    return out_of_reach &&
           seconds - looks->since >= fmax(LEVEL_LOOKS_MIN, LEVEL_LOOKS_SHARE * seconds);
}
