/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An instant at which all ranks begin, as typed by the user (--start-at), in nanoseconds since 1970
 * on the wall clock. Ranks on several hosts begin together only as precisely as their clocks agree.
 *
 *   2026-11-24T08:00:00Z, 2026-11-24T09:00:00.5+01:00   ISO 8601, with its offset from UTC
 *   @1795507200.5                                      seconds since 1970
 *   next:30s                                           the next whole multiple of 30 s since 1970
 *                                                      that is START_NEXT_AHEAD_NS away or more
 */
#ifndef CUPEL_RUN_LAUNCH_START_INSTANT_H
#define CUPEL_RUN_LAUNCH_START_INSTANT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define START_NEXT_AHEAD_NS 5000000000

/* Returns the current time of the wall clock. */
int64_t start_instant_now(void);

/*
 * Reads an instant in one of these forms; `now_ns` is the present time. ERR_USAGE: another form, an
 * instant in the past, or one that each host would compute differently.
 */
int start_instant_parse(const char *text, int64_t now_ns, int64_t *instant_ns, struct err *e);

/* Text such as "2026-11-24 08:00:00.000000 UTC". */
#define START_INSTANT_TEXT 40
char *start_instant_format(char to[START_INSTANT_TEXT], int64_t instant_ns);

#endif
