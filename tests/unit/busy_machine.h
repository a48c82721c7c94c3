/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells whether this machine is busy with other programs: then a thread may miss a time without
   being at fault. */
#ifndef TESTS_UNIT_BUSY_MACHINE_H
#define TESTS_UNIT_BUSY_MACHINE_H

#include <stdbool.h>
#include <time.h>

static inline double busy_machine_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Spins for 0.2 s. Returns true if the thread had a processor for less than four fifths of that. */
static inline bool machine_is_busy(void)
{
    double begin = busy_machine_seconds(CLOCK_MONOTONIC);
    double ran = busy_machine_seconds(CLOCK_THREAD_CPUTIME_ID), now = begin;
    while (now - begin < 0.2)
        now = busy_machine_seconds(CLOCK_MONOTONIC);
    ran = busy_machine_seconds(CLOCK_THREAD_CPUTIME_ID) - ran;
    return ran < 0.8 * (now - begin);
}

#endif
