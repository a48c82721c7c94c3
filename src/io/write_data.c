/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of writes: eight interleaved xorshift64 generators (Marsaglia, 2003), two to a vector,
 * each seeded from the offset and the sequence number. Fast rather than good: it has to defeat
 * compression.
 */
#include "io/target.h"

#include <string.h>

typedef uint64_t pair __attribute__((vector_size(16)));

enum { PAIRS = 4 };

/* The finisher of splitmix64: a bijection, so that inputs that differ never meet. */
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline pair step(pair x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

void write_data_fill(unsigned char *buffer, size_t length, uint64_t offset, uint64_t sequence)
{
    uint64_t key = mix(mix(offset) + sequence);
    pair start[PAIRS];
    for (unsigned i = 0; i < PAIRS; i++)
        start[i] = (pair){mix(key + 2 * i) | 1, mix(key + 2 * i + 1) | 1};

    /* In variables rather than in the array, to be kept in registers. */
    pair a = start[0], b = start[1], c = start[2], d = start[3];
    while (length) {
        a = step(a);
        b = step(b);
        c = step(c);
        d = step(d);
        pair noise[PAIRS] = {a, b, c, d};
        if (length < sizeof noise) {
            memcpy(buffer, noise, length);
            return;
        }
        memcpy(buffer, noise, sizeof noise);
        buffer += sizeof noise;
        length -= sizeof noise;
    }
}
