/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers: xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64.
 * The same seed gives the same requests, on every machine. One generator per thread.
 */
#ifndef CUPEL_BASE_RANDOM_H
#define CUPEL_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t s[4];
};

void random_seed(struct random *r, uint64_t seed, uint64_t stream);
void random_fill(struct random *r, void *to, size_t bytes);

static inline uint64_t random_u64(struct random *r)
{
    uint64_t *s = r->s;
    uint64_t result = s[1] * 5;
    result = ((result << 7) | (result >> 57)) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* Uniform in [0, n), n > 0; the bias of multiply-shift is below n / 2^64. */
static inline uint64_t random_below(struct random *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)random_u64(r) * n) >> 64);
}

/* Uniform in [0, 1). */
static inline double random_unit(struct random *r)
{
    return (double)(random_u64(r) >> 11) * 0x1p-53;
}

#endif
