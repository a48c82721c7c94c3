/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeding of the random number generator. */
#include "base/random.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_seed(struct random *r, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    state = splitmix64(&state) ^ stream;
    r->state = splitmix64(&state);
}
