/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers: wyrand (Wang Yi, 2019, which passes BigCrush), one 64 by 64 bit multiplication
 * for each number, seeded through splitmix64. The same seed gives the same requests on every
 * machine. One generator per thread.
 */
#ifndef CUPEL_BASE_RANDOM_H
#define CUPEL_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void random_seed(struct random *r, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    state = random_splitmix64(&state) ^ stream;
    r->state = random_splitmix64(&state);
}

static inline uint64_t random_u64(struct random *r)
{
    r->state += 0xa0761d6478bd642fu;
    unsigned __int128 product = (unsigned __int128)r->state * (r->state ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* Returns a uniform number in [0, n), n > 0; the bias of multiply-shift is below n / 2^64. */
static inline uint64_t random_below(struct random *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)random_u64(r) * n) >> 64);
}

/* Returns a uniform number in [0, 1). */
static inline double random_unit(struct random *r)
{
    return (double)(random_u64(r) >> 11) * 0x1p-53;
}

#endif
