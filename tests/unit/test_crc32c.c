/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C: published vectors, and comparison with the bitwise definition at every length and
   alignment. */
#include "check.h"

#include <stdint.h>
#include <string.h>

#include "base/crc32c.h"

static uint32_t by_definition(const unsigned char *p, size_t length)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < length; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    }
    return ~crc;
}

/* The check value of the algorithm and the examples of RFC 3720, appendix B.4. */
static void published(void)
{
    unsigned char bytes[32];
    CHECK_INT(crc32c(0, "123456789", 9), 0xe3069283);
    CHECK_INT(crc32c(0, "", 0), 0);
    memset(bytes, 0, sizeof bytes);
    CHECK_INT(crc32c(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    CHECK_INT(crc32c(0, bytes, sizeof bytes), 0x62a8ab43);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    CHECK_INT(crc32c(0, bytes, sizeof bytes), 0x46dd794e);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(31 - i);
    CHECK_INT(crc32c(0, bytes, sizeof bytes), 0x113fdb5c);
}

static void definition(void)
{
    unsigned char bytes[1300]; /* more than three blocks of three lanes */
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
    for (size_t begin = 0; begin < 9; begin++)
        for (size_t length = 0; begin + length <= sizeof bytes; length++) {
            uint32_t expected = by_definition(bytes + begin, length);
            CHECK(crc32c(0, bytes + begin, length) == expected);
            CHECK(crc32c_by_table(0, bytes + begin, length) == expected);
            size_t half = length / 2;
            uint32_t crc = crc32c(0, bytes + begin, half);
            CHECK(crc32c(crc, bytes + begin + half, length - half) == expected);
        }
}

int main(void)
{
    published();
    definition();
    return check_result();
}
