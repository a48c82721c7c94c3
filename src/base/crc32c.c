/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C by table, four bytes a step; the compiler makes the tables out of 32 remainders. */
#include "base/crc32c.h"

#include "base/endian.h"

/*
 * A CRC is linear: the entry of a byte is the XOR of the entries of its bits. Bit 7 - j of the byte
 * that is k bytes before the end of a step contributes x^(32 + 8k + j) modulo the polynomial,
 * reflected. Row k holds these for j = 7 ... 0, so that its column is the number of the bit.
 */
#define SLICE_0(i)                                                                                 \
    ENTRY(i, 0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc,   \
          0x82f63b78)
#define SLICE_1(i)                                                                                 \
    ENTRY(i, 0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604,   \
          0xfbc3faf9)
#define SLICE_2(i)                                                                                 \
    ENTRY(i, 0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9,   \
          0x8b277743)
#define SLICE_3(i)                                                                                 \
    ENTRY(i, 0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7,   \
          0x52a0c93f)

#define BIT(i, b, remainder) ((((i) >> (b)) & 1) ? (remainder) : 0u)
#define ENTRY(i, r0, r1, r2, r3, r4, r5, r6, r7)                                                   \
    (BIT(i, 0, r0) ^ BIT(i, 1, r1) ^ BIT(i, 2, r2) ^ BIT(i, 3, r3) ^ BIT(i, 4, r4) ^               \
     BIT(i, 5, r5) ^ BIT(i, 6, r6) ^ BIT(i, 7, r7))

#define FOUR(slice, i) slice(i), slice((i) + 1), slice((i) + 2), slice((i) + 3)
#define SIXTEEN(slice, i)                                                                          \
    FOUR(slice, i), FOUR(slice, (i) + 4), FOUR(slice, (i) + 8), FOUR(slice, (i) + 12)
#define SIXTY_FOUR(slice, i)                                                                       \
    SIXTEEN(slice, i), SIXTEEN(slice, (i) + 16), SIXTEEN(slice, (i) + 32), SIXTEEN(slice, (i) + 48)
#define BYTES(slice)                                                                               \
    {                                                                                              \
        SIXTY_FOUR(slice, 0), SIXTY_FOUR(slice, 64), SIXTY_FOUR(slice, 128),                       \
            SIXTY_FOUR(slice, 192)                                                                 \
    }

static const uint32_t slices[4][256] = {BYTES(SLICE_0), BYTES(SLICE_1), BYTES(SLICE_2),
                                        BYTES(SLICE_3)};

uint32_t crc32c(uint32_t crc, const void *data, size_t length)
{
    const unsigned char *p = data;
    crc = ~crc;
    for (; length >= 4; length -= 4, p += 4) {
        crc ^= load_le32(p);
        crc = slices[3][crc & 0xff] ^ slices[2][crc >> 8 & 0xff] ^ slices[1][crc >> 16 & 0xff] ^
              slices[0][crc >> 24];
    }
    for (; length; length--, p++)
        crc = crc >> 8 ^ slices[0][(crc ^ *p) & 0xff];
    return ~crc;
}
