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

/* Requests are decided this many at a time: a tight loop costs less than one in between the I/O. */
#define WORKLOAD_AHEAD 256

struct workload {
    uint64_t ahead[WORKLOAD_AHEAD]; /* offset << 1 | op */
    unsigned next;                  /* of ahead[] */
    uint32_t block_size;
    uint64_t writes; /* sequence number of the next write, no two workers' alike */
    unsigned char *buffers;
    size_t buffer_stride;

    struct random random;
    uint64_t base;             /* bytes: offset = base + block * block_size */
    uint64_t blocks;           /* of the region */
    uint64_t next_sequential;  /* block */
    uint64_t random_threshold; /* of 2^64: below it, a random offset */
    uint64_t write_threshold;
    bool always_random, never_random, always_read, never_read;
};

/* Region [offset, offset + size) of the target for worker `job` of `jobs`. */
void workload_init(struct workload *w, const struct plan *plan, uint64_t region_size, unsigned job,
                   unsigned char *buffers, size_t buffer_stride);

/* Decide the next WORKLOAD_AHEAD requests. */
void workload_refill(struct workload *w);

static inline void workload_next(struct workload *w, uint16_t slot, struct io_req *request)
{
    if (__builtin_expect(w->next == WORKLOAD_AHEAD, 0))
        workload_refill(w);
    uint64_t offset_and_op = w->ahead[w->next++];
    request->offset = offset_and_op >> 1;
    request->length = w->block_size;
    request->slot = slot;
    request->op = offset_and_op & 1;
    if (__builtin_expect(offset_and_op & 1, 0))
        write_data_fill(w->buffers + (size_t)slot * w->buffer_stride, w->block_size,
                        request->offset, w->writes++);
}

#endif
