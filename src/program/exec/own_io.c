/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks that the program itself did not use: a disk that others keep busy holds up no program whose
 * data are in the page cache. The kernel counts what a process reads and writes of disks, also
 * through the page cache, and adds what its children did (getrusage(2)).
 */
#include <math.h>

#include "program/exec/internal.h"
#include "run/watch/watch.h"

/* As long as a disk has to be saturated to be a bottleneck, rounds have to have used one. Rounds of
   which it is not known count as such that did. */
static bool uses_disks(const struct round_series *series)
{
    double used = 0, seconds = 0;
    for (size_t i = 0; i < series->round_count; i++) {
        const struct execution_round *round = &series->rounds[i];
        seconds += round->seconds;
        used += round->io_blocks > 0 || isnan(round->io_blocks) ? round->seconds : 0;
    }
    return !(seconds > 0) || used / seconds >= WATCH_SATURATED_TIME;
}

void own_io_judge(const struct round_series *series, struct program_watch_result *machine)
{
    if (uses_disks(series))
        return;
    for (size_t i = 0; i < machine->part_count; i++)
        machine->parts[i].bottleneck &= !machine->parts[i].under_test;
}
