/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time for waits and limits: CLOCK_MONOTONIC in milliseconds, and the time since power-on. Any
   thread. */
#ifndef CUPEL_APPLIANCE_PROCESS_MILLISECONDS_H
#define CUPEL_APPLIANCE_PROCESS_MILLISECONDS_H

#include <stdint.h>
#include <time.h>

#include "base/clock.h"

static inline uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline double boot_seconds(void)
{
    return seconds_of_clock(CLOCK_BOOTTIME);
}

#endif
