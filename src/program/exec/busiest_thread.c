/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the use of the busiest thread in rounds too short for sampling. For a program that does one
 * thing after the other, the processor time that the kernel counted for each round shows its share
 * of a processor.
 */
#include <math.h>
#include <string.h>

#include "program/exec/internal.h"
#include "run/watch/gauge_samples.h"

#define SHORT_SECONDS  0.5 /* rounds shorter than this have fewer than five samples */
#define SEQUENTIAL_MAX 1.1 /* a program that uses more processors than this works in parallel */

void short_rounds_use(const struct round_series *series, struct program_watch_result *machine)
{
    double used = 0, seconds = 0, saturated = 0, peak = 0;
    for (size_t i = 0; i < series->round_count; i++) {
        const struct execution_round *round = &series->rounds[i];
        double now = round->user_seconds + round->system_seconds;
        used += now;
        seconds += round->seconds;
        if (!(round->seconds > 0))
            continue;
        peak = fmax(peak, fmin(now / round->seconds, 1));
        saturated += now / round->seconds > WATCH_BOTTLENECK ? round->seconds : 0;
    }
    if (!(seconds > 0) || seconds / (double)series->round_count > SHORT_SECONDS ||
        used / seconds > SEQUENTIAL_MAX)
        return;
    for (size_t i = 0; i < machine->part_count; i++) {
        struct result_part *part = &machine->parts[i];
        if (strcmp(part->name, PROGRAM_WATCH_BUSIEST) != 0)
            continue;
        part->utilisation = fmin(used / seconds, 1);
        part->peak = peak;
        part->saturated = fmin(saturated / seconds, 1);
        part->bottleneck = part->saturated >= WATCH_SATURATED_TIME;
    }
}
