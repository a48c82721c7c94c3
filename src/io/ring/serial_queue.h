/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of requests that are done one after the other, for backends that wait in the kernel for
 * each request (sync and nvme). Requests after the first wait here; the time stamps of each are
 * taken right before and after its own call.
 *
 * Owner: the backend, which reserves it in its open and releases it in its close. One thread.
 */
#ifndef CUPEL_IO_RING_SERIAL_QUEUE_H
#define CUPEL_IO_RING_SERIAL_QUEUE_H

#include "io/io.h"

struct serial_queue {
    /* Do one request and fill its completion record. */
    void (*perform)(struct io_backend *b, const struct io_req *request, struct io_done *done);
    const struct clock *clock;
    unsigned depth, head, count;
    struct io_req *requests; /* a circle of `depth` places */
};

/* Reserve room for iodepth requests; the backend sets `perform`. ERR_MACHINE. */
int serial_queue_reserve(struct serial_queue *q, const struct io_setup *setup, struct err *e);
void serial_queue_release(struct serial_queue *q);

/* Functions of struct io_ops: b->state begins with a struct serial_queue. A reap does one request
   even when `min` is 0. */
int serial_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);
int serial_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                struct err *e);
int serial_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                      struct err *e);

#endif
