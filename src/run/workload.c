/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setting up a worker's requests. */
#include "run/workload.h"

/* A share of all 64-bit numbers; 1 itself is told by the always_ and never_ flags. */
static uint64_t threshold(double share)
{
    return share <= 0 || share >= 1 ? 0 : (uint64_t)(share * 0x1p64);
}

void workload_init(struct workload *w, const struct plan *plan, uint64_t region_size, unsigned job,
                   unsigned char *buffers, size_t buffer_stride)
{
    *w = (struct workload){.base = plan->offset,
                           .blocks = region_size / plan->block_size,
                           .block_size = plan->block_size,
                           .buffers = buffers,
                           .buffer_stride = buffer_stride,
                           .writes = (uint64_t)job << 48};
    random_seed(&w->random, plan->seed, job);
    w->next_sequential = w->blocks * job / plan->jobs;
    w->random_threshold = threshold(plan->random_share);
    w->always_random = plan->random_share >= 1;
    w->never_random = plan->random_share <= 0;
    w->write_threshold = threshold(plan->write_share);
    w->always_read = plan->write_share <= 0;
    w->never_read = plan->write_share >= 1;
}
