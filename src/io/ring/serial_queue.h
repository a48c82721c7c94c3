/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of requests that are done one after the other, for backends whose calls wait for each
 * request (sync and nvme). Later requests wait in the queue; the timestamps of each are taken
 * right before and after its call.
 *
 * The backend reserves the queue in its open and releases it in its close. One thread at a time.
 */
#ifndef CUPEL_IO_RING_SERIAL_QUEUE_H
#define CUPEL_IO_RING_SERIAL_QUEUE_H

#include "io/io.h"

struct serial_queue {
    /* Does one request and fills its completion record. */
    void (*perform)(struct io_backend *b, const struct io_req *request, struct io_done *done);
    const struct clock *clock;
    unsigned depth, head, count;
    struct io_req *requests; /* [depth], a circular buffer: `count` requests from `head` on */
};

/* Allocates memory for iodepth requests; the backend sets `perform`. ERR_MACHINE: there is no
   memory. */
int serial_queue_reserve(struct serial_queue *q, const struct io_setup *setup, struct err *e);
void serial_queue_release(struct serial_queue *q);

/* Functions for struct io_ops; b->state must begin with a struct serial_queue. A reap does one
   request even when `min` is 0. */
int serial_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);
int serial_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                struct err *e);
int serial_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                      struct err *e);

#endif
