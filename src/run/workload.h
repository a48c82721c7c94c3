/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests: which block next, read or write. One per worker; the same seed gives the same requests.
 *
 * Random offsets are uniform over the whole region, with replacement. Sequential offsets begin at
 * the worker's own share of the region and wrap round at the region's end. The position is kept
 * from round to round.
 */
#ifndef CUPEL_RUN_WORKLOAD_H
#define CUPEL_RUN_WORKLOAD_H

#include <stdint.h>

#include "base/random.h"
#include "io/io.h"
#include "io/target.h"
#include "run/plan.h"

struct workload {
    struct random random;
    uint64_t blocks;          /* of the region */
    uint64_t base;            /* bytes: offset = base + block * block_size */
    uint64_t next_sequential; /* block */
    uint32_t block_size;
    uint64_t random_threshold; /* of 2^64: below it, a random offset */
    uint64_t write_threshold;
    bool always_random, never_random, always_read, never_read;
    uint64_t writes; /* sequence number of the next write, no two workers' alike */
    unsigned char *buffers;
    size_t buffer_stride;
};

/* Region [offset, offset + size) of the target for worker `job` of `jobs`. */
void workload_init(struct workload *w, const struct plan *plan, uint64_t region_size, unsigned job,
                   unsigned char *buffers, size_t buffer_stride);

static inline uint64_t workload_next_block(struct workload *w)
{
    bool random =
        w->always_random || (!w->never_random && random_u64(&w->random) < w->random_threshold);
    if (random)
        return random_below(&w->random, w->blocks);
    uint64_t block = w->next_sequential++;
    if (w->next_sequential == w->blocks)
        w->next_sequential = 0;
    return block;
}

static inline void workload_next(struct workload *w, uint16_t slot, struct io_req *request)
{
    request->offset = w->base + workload_next_block(w) * w->block_size;
    request->length = w->block_size;
    request->slot = slot;
    request->op = IO_READ;
    if (!w->always_read && (w->never_read || random_u64(&w->random) < w->write_threshold)) {
        request->op = IO_WRITE;
        write_data_fill(w->buffers + (size_t)slot * w->buffer_stride, w->block_size,
                        request->offset, w->writes++);
    }
}

#endif
