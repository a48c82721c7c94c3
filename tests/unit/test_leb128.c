/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LEB128: numbers of every length are restored, whatever follows them; one that is cut short or
   exceeds 64 bits is refused, and the position does not move. */
#include "check.h"

#include <string.h>

#include "base/durable/leb128.h"

static void every_length(void)
{
    for (unsigned bit = 0; bit < 64; bit++)
        for (int side = -1; side <= 1; side++) {
            const uint64_t value = (UINT64_C(1) << bit) + (uint64_t)side;
            unsigned char bytes[LEB128_MAX + 8];
            memset(bytes, side < 0 ? 0xff : 0x01, sizeof bytes);
            const unsigned char *end = leb128_put(bytes, value);
            CHECK(end - bytes <= LEB128_MAX);
            for (size_t after = 0; after <= 8; after++) {
                const unsigned char *at = bytes;
                uint64_t back = ~value;
                CHECK(leb128_get(&at, end + after, &back));
                CHECK(at == end && back == value);
            }
            for (const unsigned char *cut = bytes; cut < end; cut++) {
                const unsigned char *at = bytes;
                uint64_t back = 42;
                CHECK(!leb128_get(&at, cut, &back));
                CHECK(at == bytes && back == 42);
            }
        }
}

static void too_many_bits(void)
{
    unsigned char bytes[16];
    for (int last = 0; last < 0x80; last++) {
        const unsigned char *at = bytes;
        uint64_t value = 0;
        memset(bytes, 0xff, sizeof bytes);
        bytes[LEB128_MAX - 1] = (unsigned char)last;
        CHECK_INT(leb128_get(&at, bytes + sizeof bytes, &value), last <= 1);
        CHECK(at == (last <= 1 ? bytes + LEB128_MAX : bytes));
    }
    const unsigned char *at = bytes;
    uint64_t value;
    memset(bytes, 0xff, sizeof bytes);
    CHECK(!leb128_get(&at, bytes + sizeof bytes, &value));
}

static void folding(void)
{
    const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const uint64_t folded = leb128_fold((uint64_t)values[i]);
        CHECK((int64_t)leb128_unfold(folded) == values[i]);
        if (i < 5)
            CHECK_INT((long long)folded, (long long)i);
    }
}

int main(void)
{
    every_length();
    too_many_bits();
    folding();
    return check_result();
}
