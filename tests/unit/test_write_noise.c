/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Written data: nothing repeats in a block or between blocks, and every bit is as often 0 as 1. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "io/target/target.h"

enum { BLOCK = 4096, BLOCKS = 256 };

static int compare_words(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Among random 64-bit words a repeated one is not to be expected: 131,072 of them, 5e-10. */
static size_t repeated_words(unsigned char *data, size_t bytes)
{
    size_t n = bytes / 8, repeated = 0;
    qsort(data, n, 8, compare_words);
    for (size_t i = 1; i < n; i++)
        repeated += memcmp(data + 8 * i, data + 8 * (i - 1), 8) == 0;
    return repeated;
}

static void check_bits_and_bytes(const unsigned char *data, size_t bytes)
{
    size_t ones = 0, of_byte[256] = {0};
    for (size_t i = 0; i < bytes; i++) {
        ones += (size_t)__builtin_popcount(data[i]);
        of_byte[data[i]]++;
    }
    /* 8.4 million bits: a standard deviation of 0.00017 of one half. */
    CHECK_NEAR((double)ones / (double)bytes / 8, 0.5, 0.005);
    double expected = (double)bytes / 256, chi_square = 0;
    for (int i = 0; i < 256; i++) {
        double difference = (double)of_byte[i] - expected;
        chi_square += difference * difference / expected;
    }
    CHECK(chi_square > 150 && chi_square < 380); /* 255 degrees of freedom; 1e-6 outside */
}

/* Written in blocks of that many bytes, from `begin` on. */
static void write_blocks(unsigned char *data, size_t bytes, size_t begin, size_t block)
{
    for (size_t at = begin; at + block <= bytes; at += block)
        write_data_fill(data + at, block, at, at / block);
}

static void check_recognised(void)
{
    static unsigned char data[64 * BLOCK];
    static const size_t blocks[] = {512, 513, 520, 1000, 1001, 4096, 4100, 65536};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        write_data_fill(data, sizeof data, 0, 1);
        write_blocks(data, sizeof data, 0, blocks[i]);
        CHECK(write_data_is_noise(data, sizeof data, true));
        for (size_t at = 0; at < sizeof data; at += BLOCK)
            CHECK(write_data_is_noise(data + at, BLOCK, false));
    }

    /* Other data in it: zeros, other random data, text. */
    static const size_t lengths[] = {512, 80, 16};
    for (unsigned kind = 0; kind < 3; kind++)
        for (size_t at = 0; at < BLOCK; at += 128)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                write_data_fill(data, BLOCK, 0, 2);
                for (size_t k = at; k < at + lengths[i] && k < BLOCK; k++)
                    data[k] = kind == 0 ? 0 : kind == 1 ? data[k] ^ 0x5a : (unsigned char)(k + 1);
                CHECK(!write_data_is_noise(data, BLOCK, true));
            }
    memset(data, 0, BLOCK);
    CHECK(!write_data_is_noise(data, BLOCK, false));
}

int main(void)
{
    static unsigned char data[BLOCKS * BLOCK], again[BLOCK];

    for (unsigned i = 0; i < BLOCKS;
         i++) /* blocks that lie side by side, as a sequential writer makes */
        write_data_fill(data + i * BLOCK, BLOCK, (uint64_t)i * BLOCK, i);
    check_bits_and_bytes(data, sizeof data);
    CHECK_INT(repeated_words(data, sizeof data), 0);

    for (unsigned i = 0; i < BLOCKS; i++) /* the same block, written again and again */
        write_data_fill(data + i * BLOCK, BLOCK, 0, i);
    CHECK_INT(repeated_words(data, sizeof data), 0);

    for (unsigned i = 0; i < BLOCKS; i++) /* other blocks, the same sequence number */
        write_data_fill(data + i * BLOCK, BLOCK, (uint64_t)i * 512, 7);
    CHECK_INT(repeated_words(data, sizeof data), 0);

    write_data_fill(data, BLOCK, 12345, 678);
    write_data_fill(again, BLOCK, 12345, 678);
    CHECK(!memcmp(data, again, BLOCK));
    memset(again, 0, sizeof again);
    write_data_fill(again, 1000, 12345,
                    678); /* a length off the generator's step, nothing beyond */
    CHECK(!memcmp(data, again, 1000));
    CHECK_INT(again[1000], 0);
    check_recognised();
    return check_result();
}
