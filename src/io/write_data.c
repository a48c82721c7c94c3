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

/* ---- recognising it ---- */

enum { SECTOR = 512, WORD = 8, LANES = 2 * PAIRS, WORDS_LEAST = 16 };

/* Words of a sector, counted from byte `phase`, that follow from the word eight before. */
static unsigned count_successors(const unsigned char *sector, size_t phase)
{
    unsigned count = 0;
    for (size_t at = phase + LANES * WORD; at + WORD <= SECTOR; at += WORD) {
        uint64_t before, word;
        memcpy(&before, sector + at - LANES * WORD, WORD);
        memcpy(&word, sector + at, WORD);
        before ^= before << 13;
        before ^= before >> 7;
        before ^= before << 17;
        count += word && word == before;
    }
    return count;
}

bool write_data_is_noise(const unsigned char *data, size_t length)
{
    for (size_t at = 0; at + SECTOR <= length; at += SECTOR) {
        unsigned most = 0;
        /* Blocks of an odd size begin at any byte. */
        for (size_t phase = 0; phase < WORD && most < WORDS_LEAST; phase++) {
            unsigned count = count_successors(data + at, phase);
            most = count > most ? count : most;
        }
        if (most < WORDS_LEAST)
            return false;
    }
    return true;
}
