/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stamps cost: making 128 KiB of stamped sectors, and checking them, on one processor. At 4
 * GB/s a thread writes as fast with stamps as without.
 */
#include <time.h>

#include "figure.h"
#include "io/stamp/stamp.h"

enum { ROUNDS = 15, PASSES = 200, BLOCK = 128 << 10 };

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned char block[BLOCK];

static void fill(const struct stamp_run *run)
{
    for (uint64_t i = 0; i < PASSES; i++)
        stamp_fill(run, block, BLOCK, i);
}

static unsigned check(const struct stamp_run *run)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < PASSES; i++)
        for (uint32_t at = 0; at < BLOCK; at += run->sector_bytes)
            wrong += stamp_check(run, block + at, PASSES - 1 + at / run->sector_bytes, NULL) !=
                     STAMP_GOOD;
    return wrong;
}

static void print(const char *name, const double rates[])
{
    const struct figure f = {name, "GB/s", 2, "wanted", FIGURE_AT_LEAST, 1};
    double rate = figure_median(rates, ROUNDS);
    figure_print(&f, rate, 4, rate / 4, "");
}

int main(void)
{
    static const struct {
        uint32_t bytes;
        const char *fill, *check;
    } rows[] = {{512, "stamp_fill, 512", "stamp_check, 512"},
                {4096, "stamp_fill, 4096", "stamp_check, 4096"}};
    for (size_t i = 0; i < 2; i++) {
        const struct stamp_run run = {
            .serial_hash = 1, .salt = 2, .generation = 1, .sector_bytes = rows[i].bytes};
        double fills[ROUNDS], checks[ROUNDS], bytes = (double)PASSES * BLOCK * 1e-9;
        for (int round = 0; round < ROUNDS; round++) {
            double begin = processor_seconds();
            fill(&run);
            double middle = processor_seconds();
            if (check(&run))
                return 1;
            fills[round] = bytes / (middle - begin);
            checks[round] = bytes / (processor_seconds() - middle);
        }
        print(rows[i].fill, fills);
        print(rows[i].check, checks);
    }
    return 0;
}
