/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the processors of the workers of each target, if several targets are measured at once
 * on a machine with several NUMA nodes.
 *
 * Workers of a target go to processors of its own node, as long as there are free ones, then to
 * free processors of other nodes. Targets share processors only if there are fewer processors
 * than workers; in that case, too, workers prefer the node of their target. Targets with a known
 * node choose first, so that a target without a known node does not take a processor from them.
 * The first processor of all is taken last, to leave it to the collecting threads. Pure: no
 * state, any thread.
 */
#ifndef CUPEL_RUN_LOOP_TARGET_PROCESSORS_H
#define CUPEL_RUN_LOOP_TARGET_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

struct spread_processor {
    int cpu;
    int node; /* -1: not known */
};

struct spread_target {
    int node; /* node of the target; -1: not known, or all nodes are equally near */
    unsigned workers;
    int *cpus;        /* [workers], set by the function: the processor of each worker */
    unsigned distant; /* set by the function: number of workers on another node than the target's */
    /* set by the function: a processor of the target also has another worker, of this or another
       target */
    bool shares;
};

/* Chooses processors for all targets. `processors` are taken in their order; there must be at least
   one. `uses` is working memory with one element for each processor. */
void processor_spread(const struct spread_processor processors[], unsigned uses[],
                      size_t processor_count, struct spread_target targets[], size_t target_count);

#endif
