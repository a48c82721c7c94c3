/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event with a given probability, decided by one comparison of whole numbers. */
#ifndef CUPEL_GENERATOR_CHANCE_H
#define CUPEL_GENERATOR_CHANCE_H

#include <stdbool.h>

#include "base/random.h"

struct chance {
    uint64_t threshold; /* of 2^64 */
    bool never, always;
};

static inline struct chance chance_of(double share)
{
    struct chance c = {.never = share <= 0, .always = share >= 1};
    if (!c.never && !c.always)
        c.threshold = (uint64_t)(share * 0x1p64);
    return c;
}

/* Takes a random number only where there is something to decide. */
static inline bool chance_hit(const struct chance *c, struct random *r)
{
    return c->always || (!c->never && random_u64(r) < c->threshold);
}

#endif
