/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping until an instant of a clock, for backends that wait by themselves. */
#ifndef CUPEL_IO_DEVICE_SLEEP_H
#define CUPEL_IO_DEVICE_SLEEP_H

#include "base/clock.h"

/* Sleep until `until` (ticks), or not at all when that has passed. It wakes up late, as every sleep
   does. False when a signal came first. */
bool io_sleep_until(const struct clock *clock, uint64_t until);

#endif
