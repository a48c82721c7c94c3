/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far the machine's wall clock may be from UTC.
 *
 * The kernel has a bound as long as a time service maintains it: `maxerror` of adjtimex(2), which
 * grows by 500 ppm between updates. chronyd has a tighter bound, which it reports on request
 * (chronyc(1), "tracking"): half the root delay, plus the root dispersion, plus the offset that is
 * still being corrected. Both bounds are true if the servers at the root are right.
 */
#ifndef CUPEL_BASE_MACHINE_CLOCK_ERROR_H
#define CUPEL_BASE_MACHINE_CLOCK_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct timex;

#define CLOCK_ERROR_UNKNOWN (-1)
#define CLOCK_SOURCE_BYTES  16

struct clock_error {
    uint64_t wall_ns; /* wall clock at the reading, ns since 1970 */
    int64_t error_ns; /* bound of |wall clock - UTC|; CLOCK_ERROR_UNKNOWN: not synchronised */
    char source[CLOCK_SOURCE_BYTES]; /* who reported the bound: "adjtimex" or "chrony" */
};

/* Reads the kernel's bound by one system call, which changes nothing. With a `prefix` (see
   base/machine/host_identity.h) the data come from another machine, and the bound is
   CLOCK_ERROR_UNKNOWN. */
void clock_error_read(struct clock_error *c, const char *prefix);

/*
 * Replaces the bound of clock_error_read by chronyd's if that is smaller; this needs a running
 * chronyd and an installed chronyc. It runs a program, for up to a second: call it before or after
 * a measurement, not during one.
 */
void clock_error_ask_chrony(struct clock_error *c, const char *prefix);

/* For tests: compute the bound from a result of adjtimex, and from a line of `chronyc -c
   tracking`. */
int64_t clock_error_of_kernel(const struct timex *t, int state);
int64_t clock_error_of_chrony(const char *line);

#endif
