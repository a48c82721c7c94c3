/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Excludes disks that the program did not use: a disk that others keep busy does not delay a
 * program whose data are in the page cache. The kernel counts a process's reads and writes of
 * disks, also through the page cache, and adds those of its children (getrusage(2)).
 */
#include <math.h>

#include "program/exec/internal.h"
#include "run/watch/gauge_samples.h"

/* Returns whether the rounds with disk I/O take at least the share of time for which a disk must be
   saturated to be a bottleneck. Rounds for which the I/O is not known count as having some. */
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
