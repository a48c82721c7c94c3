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

void write_data_fill(unsigned char *buffer, size_t length, uint64_t offset, uint64_t sequence)
{
    uint64_t key = mix(mix(offset) + sequence);
    pair state[PAIRS];
    for (unsigned i = 0; i < PAIRS; i++)
        state[i] = (pair){mix(key + 2 * i) | 1, mix(key + 2 * i + 1) | 1};

    while (length) {
        for (unsigned i = 0; i < PAIRS; i++) {
            state[i] ^= state[i] << 13;
            state[i] ^= state[i] >> 7;
            state[i] ^= state[i] << 17;
        }
        size_t n = length < sizeof state ? length : sizeof state;
        memcpy(buffer, state, n);
        buffer += n;
        length -= n;
    }
}
