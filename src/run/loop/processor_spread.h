/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which processors the workers of each target have, where several targets are measured at once on a
 * machine with several NUMA nodes.
 *
 * Workers of a target go to processors of its own node, as long as there are free ones; then to
 * free ones of other nodes; and only where there are fewer processors than workers do targets share
 * some, again of their own node first. Targets whose node is known choose first, so that one that
 * may be anywhere takes no processor from them. The first processor of all is left to the threads
 * that collect, unless another one is free and a worker would have to go to another node for it.
 * Pure: no state, any thread.
 */
#ifndef CUPEL_RUN_LOOP_PROCESSOR_SPREAD_H
#define CUPEL_RUN_LOOP_PROCESSOR_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct spread_processor {
    int cpu;
    int node; /* -1: not known */
};

struct spread_target {
    int node; /* that it is attached to; -1: not known, or all are as near */
    unsigned workers;
    int *cpus;        /* filled: `workers` of them */
    unsigned distant; /* filled: workers on another node than the target's */
    bool shares;      /* filled: some have a processor with workers of their own or another target
                       */
};

/* `processors` in the order in which they are taken, one at least. `uses` is room for the work:
   processor_count. */
void processor_spread(const struct spread_processor processors[], unsigned uses[],
                      size_t processor_count, struct spread_target targets[], size_t target_count);

#endif
