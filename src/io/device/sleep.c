/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sleep of the length that is left, and another one where the kernel's second is a shorter one.
 */
#include "io/device/sleep.h"

bool io_sleep_until(const struct clock *clock, uint64_t until)
{
    for (uint64_t now; (now = clock_ticks(clock)) < until;) {
        uint64_t left = clock_ns(clock, until - now);
        struct timespec t = {.tv_sec = (time_t)(left / 1000000000u),
                             .tv_nsec = (long)(left % 1000000000u)};
        if (nanosleep(&t, NULL))
            return false;
    }
    return true;
}
