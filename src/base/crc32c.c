/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes CRC-32C with the processor's instruction where it has one, otherwise with tables, four
   bytes a step. The compiler builds the tables from 32 remainders. */
#include "base/crc32c.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>
#endif

#include "base/endian.h"

/*
 * A CRC is linear: the table entry of a byte is the XOR of the entries of its bits. Bit 7 - j of
 * the byte that is k bytes before the end of a step contributes x^(32 + 8k + j) modulo the
 * polynomial, reflected. Row k (SLICE_k) holds these values for j = 7 ... 0, so the column is the
 * number of the bit.
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

static uint32_t by_table(uint32_t crc, const unsigned char *p, size_t length)
{
    for (; length >= 4; length -= 4, p += 4) {
        crc ^= load_le32(p);
        crc = slices[3][crc & 0xff] ^ slices[2][crc >> 8 & 0xff] ^ slices[1][crc >> 16 & 0xff] ^
              slices[0][crc >> 24];
    }
    for (; length; length--, p++)
        crc = crc >> 8 ^ slices[0][(crc ^ *p) & 0xff];
    return crc;
}

#if defined(__x86_64__)
/*
 * The instruction takes three cycles, and a new one can begin in each cycle, so three lanes of LANE
 * bytes are computed side by side. To extend a lane's remainder over the n bytes after the lane, it
 * is multiplied by x^(8n): a carry-less product with AFTER, and then the instruction, which
 * multiplies by x^33 modulo the polynomial. Therefore AFTER is x^(8n - 33), reflected.
 */
#define LANE              128
#define AFTER_ONE_LANE    0x0d3b6092u
#define AFTER_TWO_LANES   0xb9e02b86u
#define WITH_INSTRUCTIONS __attribute__((target("sse4.2,pclmul")))

WITH_INSTRUCTIONS static inline uint64_t pass_over(uint64_t crc, uint32_t after)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc),
                                           _mm_cvtsi64_si128((long long)after), 0);
    return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

WITH_INSTRUCTIONS static uint32_t by_instruction(uint32_t start, const unsigned char *p,
                                                 size_t length)
{
    uint64_t crc = start;
    for (; length >= (size_t)3 * LANE; length -= (size_t)3 * LANE, p += (size_t)3 * LANE) {
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i < LANE; i += 8) {
            crc = _mm_crc32_u64(crc, load_le64(p + i));
            second = _mm_crc32_u64(second, load_le64(p + LANE + i));
            third = _mm_crc32_u64(third, load_le64(p + (size_t)2 * LANE + i));
        }
        crc = pass_over(crc, AFTER_TWO_LANES) ^ pass_over(second, AFTER_ONE_LANE) ^ third;
    }
    for (; length >= 8; length -= 8, p += 8)
        crc = _mm_crc32_u64(crc, load_le64(p));
    uint32_t last = (uint32_t)crc;
    for (; length; length--, p++)
        last = _mm_crc32_u8(last, *p);
    return last;
}

static bool has_instructions(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t length)
{
#if defined(__x86_64__)
    if (has_instructions())
        return ~by_instruction(~crc, data, length);
#endif
    return crc32c_by_table(crc, data, length);
}

uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t length)
{
    return ~by_table(~crc, data, length);
}
