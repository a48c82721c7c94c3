/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeding of the random number generator, and bulk fill. */
#include "base/random.h"

#include <string.h>

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

void random_fill(struct random *r, void *to, size_t bytes)
{
    unsigned char *p = to;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t v = random_u64(r);
        memcpy(p, &v, 8);
    }
    if (bytes) {
        uint64_t v = random_u64(r);
        memcpy(p, &v, bytes);
    }
}
