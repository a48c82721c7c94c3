/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that the kernel writes perf records of one processor to, read in the order they were
 * written.
 *
 * The reader looks at one record at a time, which stays in the ring until perf_ring_pop. Owner:
 * perf_ring_unmap. One thread reads.
 */
#ifndef CUPEL_TRACEPOINT_PERF_RING_H
#define CUPEL_TRACEPOINT_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The largest record that is read: what is longer is passed over. */
#define PERF_RECORD_BYTES 1024

struct perf_ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    uint64_t mask;         /* size of data, less one */
    uint64_t head, tail;   /* [tail, head) was written and not popped */
    unsigned char *bounce; /* a record that goes over the ring's end, in one piece */
};

/* `bytes`: a power of two of pages. ERR_MACHINE: no memory. */
int perf_ring_map(struct perf_ring *r, int fd, size_t bytes, struct err *e);
void perf_ring_unmap(struct perf_ring *r);

/* Look how far the kernel has written. */
void perf_ring_look(struct perf_ring *r);

/* The oldest record, up to its own size readable; NULL: none that perf_ring_look saw. */
const struct perf_event_header *perf_ring_first(struct perf_ring *r);

/* Give its room back to the kernel. */
void perf_ring_pop(struct perf_ring *r);

#endif
