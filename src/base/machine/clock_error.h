/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far the machine's wall clock may be from UTC.
 *
 * The kernel knows a bound while a time service keeps it up: `maxerror` of adjtimex(2), which grows
 * by 500 ppm between updates. chronyd knows a tighter one, which it reports when asked (chronyc(1),
 * "tracking"): half the root delay, the root dispersion and the offset that is still being
 * corrected. Both hold if the servers at the root are right.
 */
#ifndef CUPEL_BASE_MACHINE_CLOCK_ERROR_H
#define CUPEL_BASE_MACHINE_CLOCK_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct timex;

#define CLOCK_ERROR_UNKNOWN (-1)
#define CLOCK_SOURCE_BYTES  16

struct clock_error {
    uint64_t wall_ns; /* since 1970, when it was looked at */
    int64_t error_ns; /* bound of |wall clock - UTC|; CLOCK_ERROR_UNKNOWN: not synchronised */
    char source[CLOCK_SOURCE_BYTES]; /* "adjtimex" or "chrony" */
};

/* What the kernel says: one system call, nothing is changed. With a prefix (see
   base/machine/host_identity.h) it is another machine, whose clock is not known. */
void clock_error_read(struct clock_error *c, const char *prefix);

/*
 * After clock_error_read: the smaller bound of chronyd, where it runs and chronyc is installed.
 * That runs a program, for up to a second: before or after a measurement, not in one.
 */
void clock_error_ask_chrony(struct clock_error *c, const char *prefix);

/* The parts, for tests: what adjtimex returned, and a line of `chronyc -c tracking`. */
int64_t clock_error_of_kernel(const struct timex *t, int state);
int64_t clock_error_of_chrony(const char *line);

#endif
