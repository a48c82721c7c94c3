/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The skew between processors' counters (Anderson et al., Buttress (2004), section 5.2): two
 * threads hand a cache line to each other and write into it what their counters say. The answer was
 * written between the two readings of the one who asked: half of the shortest of many round trips
 * is how well the offset is known. (Cristian, "Probabilistic clock synchronization", 1989.)
 */
#ifndef CUPEL_RUN_LOOP_CLOCK_SKEW_H
#define CUPEL_RUN_LOOP_CLOCK_SKEW_H

#include <stdint.h>

#include "base/clock.h"

#define SKEW_UNKNOWN UINT64_MAX

/*
 * For each of n processors how far its counter is ahead of that of cpus[0], in ns, and within how
 * much that is known: the skew lies within skew_ns[i] +- within_ns[i]. SKEW_UNKNOWN: it could not
 * be measured, as with cpus[i] -1. The same processor, or a clock that is not the counter: 0 and 0.
 * Takes some ms a processor and starts two threads for each; the caller is not moved.
 */
void clock_skew_measure(const struct clock *clock, const int cpus[], unsigned n, int64_t skew_ns[],
                        uint64_t within_ns[]);

/* The ticks to subtract from the processor's: 0 when the skew is within its uncertainty. */
int64_t clock_skew_correction(const struct clock *clock, int64_t skew_ns, uint64_t within_ns);

#endif
