/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Temperatures, read by a thread of their own once a second: an NVMe drive's costs it a command,
 * and one that hangs would keep the reader waiting. Private to hw/monitor*.c.
 *
 * Owner: monitor_slow_stop. When the thread hangs in a device its memory and files are left to the
 * system.
 */
#ifndef CUPEL_HW_MONITOR_SLOW_H
#define CUPEL_HW_MONITOR_SLOW_H

#include <stddef.h>

#define MONITOR_SLOW_FILES 64

struct monitor_slow;

/* NULL when there is no memory for it. */
struct monitor_slow *monitor_slow_new(void);

/* Takes over `fd`, a file that holds thousandths of a degree. Returns its number, or -1. */
int monitor_slow_add(struct monitor_slow *slow, int fd);

/* The first values are there when it returns, unless a device keeps the thread waiting. */
void monitor_slow_start(struct monitor_slow *slow);

/* What was read last, degrees; NaN: nothing yet, or it could not be read. */
float monitor_slow_value(const struct monitor_slow *slow, int number);

void monitor_slow_stop(struct monitor_slow *slow);

#endif
