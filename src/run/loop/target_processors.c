/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses processors for the workers of several targets, near to each target. */
#include "run/loop/target_processors.h"

#include <string.h>

static bool is_distant(const struct spread_processor *p, int node)
{
    return node >= 0 && p->node >= 0 && p->node != node;
}

/*
 * Returns the least used processor. Among equally used ones, processors of the node come first,
 * then the order from `begin` on, wrapping around. A free distant processor is better than a near
 * one in use.
 */
static size_t choose(const struct spread_processor processors[], const unsigned uses[],
                     size_t count, size_t begin, int node)
{
    size_t best = count;
    for (size_t k = 0; k < count; k++) {
        const size_t i = (begin + k) % count;
        if (best == count || uses[i] < uses[best] ||
            (uses[i] == uses[best] && is_distant(&processors[best], node) &&
             !is_distant(&processors[i], node)))
            best = i;
    }
    return best;
}

static void place(const struct spread_processor processors[], unsigned uses[], size_t count,
                  size_t begin, struct spread_target *target, unsigned worker)
{
    const size_t i = choose(processors, uses, count, begin, target->node);
    uses[i]++;
    target->cpus[worker] = processors[i].cpu;
    target->distant += is_distant(&processors[i], target->node);
}

/* Returns true if a processor of the target is also used by others. */
static bool shares(const struct spread_processor processors[], const unsigned uses[], size_t count,
                   const struct spread_target *target)
{
    for (unsigned w = 0; w < target->workers; w++)
        for (size_t i = 0; i < count; i++)
            if (processors[i].cpu == target->cpus[w] && uses[i] > 1)
                return true;
    return false;
}

/*
 * Places one worker of each target in turn, so that all targets get the same number if processors
 * are few.
 */
void processor_spread(const struct spread_processor processors[], unsigned uses[], size_t count,
                      struct spread_target targets[], size_t target_count)
{
    size_t wanted = 0;
    unsigned workers = 0;
    for (size_t t = 0; t < target_count; t++) {
        wanted += targets[t].workers;
        workers = targets[t].workers > workers ? targets[t].workers : workers;
        targets[t].distant = 0;
    }
    /* The first processor is used last, so that it stays free for the collector if no worker needs
       it. */
    const size_t begin = wanted < count;
    memset(uses, 0, count * sizeof *uses);
    for (int near = 1; near >= 0; near--)
        for (unsigned w = 0; w < workers; w++)
            for (size_t t = 0; t < target_count; t++)
                if (w < targets[t].workers && (targets[t].node >= 0) == near)
                    place(processors, uses, count, begin, &targets[t], w);
    for (size_t t = 0; t < target_count; t++)
        targets[t].shares = shares(processors, uses, count, &targets[t]);
}
