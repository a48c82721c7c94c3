/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The skew between processors' counters (Anderson et al., Buttress (2004), section 5.2): two
 * threads pass a cache line to each other and write the values of their counters into it. The
 * answer was written between two readings of the asker, so half of the shortest of many round trips
 * is the uncertainty of the offset. (Cristian, "Probabilistic clock synchronization", 1989.)
 */
#ifndef CUPEL_RUN_LOOP_CLOCK_SKEW_H
#define CUPEL_RUN_LOOP_CLOCK_SKEW_H

#include <stdint.h>

#include "base/clock.h"

#define SKEW_UNKNOWN UINT64_MAX

/*
 * Measures for each of n processors how many ns its counter is ahead of that of cpus[0]: the skew
 * is within skew_ns[i] +- within_ns[i]. SKEW_UNKNOWN: it could not be measured, or cpus[i] is -1.
 * Both are 0 for the same processor, and for a clock that is not the counter. Takes some ms per
 * processor and starts two threads for each; the caller is not moved.
 */
void clock_skew_measure(const struct clock *clock, const int cpus[], unsigned n, int64_t skew_ns[],
                        uint64_t within_ns[]);

/* Returns the ticks to subtract from the processor's counter: 0 if the skew is within its
   uncertainty. */
int64_t clock_skew_correction(const struct clock *clock, int64_t skew_ns, uint64_t within_ns);

#endif
