/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The skew between processors' counters, on this machine and on one with simulated skew. */
#include "check.h"

#include <sched.h>

#include "run/loop/clock_skew.h"

/* This machine, if it keeps its counters together, is found to have no skew. */
static void check_real(void)
{
    struct clock clock;
    cpu_set_t before, after;
    int cpus[5] = {-1, -1, -1, -1, CPU_SETSIZE - 1}, n = 0;
    int64_t skew[5];
    uint64_t within[5];
    clock_calibrate(&clock, 20, false);
    sched_getaffinity(0, sizeof before, &before);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET((size_t)cpu, &before))
            cpus[n++] = cpu;
    cpus[2] = cpus[0];
    clock_skew_measure(&clock, cpus, 5, skew, within);
    sched_getaffinity(0, sizeof after, &after);
    CHECK(CPU_EQUAL(&before, &after));

    CHECK(skew[0] == 0 && within[0] == 0);
    CHECK(skew[2] == 0 && within[2] == 0); /* the same one */
    if (!clock.counter || n < 2) {
        check_part_skipped("no second processor, or no counter to compare");
        return;
    }
    CHECK(within[3] == SKEW_UNKNOWN && skew[3] == 0); /* not pinned */
    CHECK(within[4] == SKEW_UNKNOWN && skew[4] == 0); /* there is no such processor */
    /* The kernel uses the counter only while processors agree within a round trip. On a busy
       machine all round trips are long, and the skew is known only as exactly as the shortest of
       them. */
    CHECK(within[1] > 0);
    if (within[1] != SKEW_UNKNOWN)
        CHECK(llabs(skew[1]) < 20000 + (int64_t)within[1]);
    else
        check_part_skipped("the second processor was not to be had");
}

static void check_correction(void)
{
    struct clock clock = {.counter = true, .multiplier = (uint64_t)1 << 31, .hertz = 2e9};
    CHECK_INT(clock_skew_correction(&clock, 500, 100), 1000); /* half a ns per tick */
    CHECK_INT(clock_skew_correction(&clock, -500, 100), -1000);
    CHECK_INT(clock_skew_correction(&clock, 99, 100), 0);
    CHECK_INT(clock_skew_correction(&clock, -100, 100), 0);
    CHECK_INT(clock_skew_correction(&clock, 0, 0), 0);
    CHECK_INT(clock_skew_correction(&clock, 500, SKEW_UNKNOWN), 0);
}

/* With clock_gettime, where a tick is a nanosecond, there is no skew to measure. */
static void check_clock_gettime(void)
{
    struct clock clock;
    clock_calibrate(&clock, 1, true);
    const int cpus[] = {0, 1};
    int64_t skew[2] = {7, 7};
    uint64_t within[2] = {7, 7};
    clock_skew_measure(&clock, cpus, 2, skew, within);
    CHECK(skew[1] == 0 && within[1] == 0);
}

int main(void)
{
    check_real();
    check_correction();
    check_clock_gettime();
    return check_result();
}
