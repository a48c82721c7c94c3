/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of writes, and their recognition. Eight interleaved xorshift64 generators (Marsaglia,
 * 2003), two to a vector, are each seeded from the offset and the sequence number. They are fast
 * rather than good: the noise only has to defeat compression.
 */
#include "io/target/target.h"

#include <string.h>

typedef uint64_t pair __attribute__((vector_size(16)));

enum { PAIRS = 4 };

/* The finaliser of splitmix64: a bijection, so that different inputs never give the same output. */
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

    /* Variables, unlike the array, stay in registers. */
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

/* ---- recognising the data ---- */

/* LANES_BYTES: one word of each generator (lane). SURE: bytes of noise that suffice as proof. EDGE:
   fewer bytes of a write than this, with a part of a word, cannot be recognised at an end of the
   data. */
enum { WORD = 8, LANES_BYTES = 2 * PAIRS * WORD, SURE = LANES_BYTES + WORD, EDGE = SURE + WORD };

/*
 * Returns the length in bytes of the noise that begins at data[at]: in this noise every word
 * follows from the word before it in its lane. A length below SURE proves nothing.
 */
static size_t stretch(const unsigned char *data, size_t length, size_t at)
{
    size_t end = at + LANES_BYTES;
    while (end + WORD <= length) {
        uint64_t before, word;
        memcpy(&before, data + end - LANES_BYTES, WORD);
        memcpy(&word, data + end, WORD);
        before ^= before << 13;
        before ^= before >> 7;
        before ^= before << 17;
        if (!word || word != before)
            break;
        end += WORD;
    }
    return end - at;
}

/* Returns the first place in [at, at + places) where noise certainly begins; `length` if there is
   none. */
static size_t find_stretch(const unsigned char *data, size_t length, size_t at, size_t places)
{
    for (size_t end = at + places; at < end && at + SURE <= length; at++)
        if (stretch(data, length, at) >= SURE)
            return at;
    return length;
}

bool write_data_is_noise(const unsigned char *data, size_t length, bool from_start)
{
    size_t at = find_stretch(data, length, 0, from_start ? 1 : EDGE);
    while (at < length) {
        at += stretch(data, length, at);
        if (length - at < EDGE)
            return true;
        /* Another write begins here, or, after a write of an odd size, within the next word. */
        at = find_stretch(data, length, at, 2 * WORD - 1);
    }
    return false;
}
