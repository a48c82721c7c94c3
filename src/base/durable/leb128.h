/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LEB128 writes a number of up to 64 bits with seven bits a byte, the lowest bits first; every byte
 * but the last has its highest bit set. A signed difference is first mapped to a whole number: 0,
 * -1, 1, -2 ... become 0, 1, 2, 3 ...
 */
#ifndef CUPEL_BASE_DURABLE_LEB128_H
#define CUPEL_BASE_DURABLE_LEB128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"

#define LEB128_MAX 10 /* bytes that the longest number takes */

/* Writes a number; returns the place after it. */
static inline unsigned char *leb128_put(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (unsigned char)(value | 0x80);
    *to++ = (unsigned char)value;
    return to;
}

static inline bool leb128_get_bytewise(const unsigned char **at, const unsigned char *end,
                                       uint64_t *value)
{
    uint64_t v = 0;
    unsigned shift = 0;
    for (const unsigned char *p = *at; p < end && shift < 64; shift += 7) {
        uint64_t byte = *p++;
        if (shift == 63 && byte > 1)
            return false;
        v |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *at = p;
            *value = v;
            return true;
        }
    }
    return false;
}

/* Joins the low seven bits of each byte. */
static inline uint64_t leb128_gather(uint64_t bytes)
{
    bytes = (bytes & 0x007f007f007f007f) | (bytes & 0x7f007f007f007f00) >> 1;
    bytes = (bytes & 0x00003fff00003fff) | (bytes & 0x3fff00003fff0000) >> 2;
    return (bytes & 0x0fffffff) | (bytes & 0x0fffffff00000000) >> 4;
}

/*
 * Reads the number at *at, and moves *at after it. Returns false if the number does not end before
 * `end`, or has more than 64 bits although at least LEB128_MAX bytes are there; *at and *value are
 * then unchanged. If eight bytes are there they are decoded at once.
 */
static inline bool leb128_get(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    if (end - *at >= 8) {
        uint64_t bytes = load_le64(*at), last = ~bytes & 0x8080808080808080;
        if (!(bytes & 0x80)) {
            ++*at;
            *value = bytes & 0x7f;
            return true;
        }
        if (last) { /* its lowest bit belongs to the number's last byte */
            *at += (__builtin_ctzll(last) + 1) / 8;
            *value = leb128_gather(bytes & (last ^ (last - 1)) & 0x7f7f7f7f7f7f7f7f);
            return true;
        }
    }
    return leb128_get_bytewise(at, end, value);
}

static inline uint64_t leb128_fold(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t leb128_unfold(uint64_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

#endif
