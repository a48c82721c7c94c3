/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps a queue of requests that are done one after the other. */
#include "io/ring/serial_queue.h"

#include <stdlib.h>

int serial_queue_reserve(struct serial_queue *q, const struct io_setup *setup, struct err *e)
{
    q->clock = setup->clock;
    q->depth = setup->iodepth;
    q->head = q->count = 0;
    q->requests = calloc(q->depth, sizeof *q->requests);
    return q->requests ? 0 : err_no_memory(e, "%u requests", q->depth);
}

void serial_queue_release(struct serial_queue *q)
{
    free(q->requests);
    q->requests = NULL;
}

int serial_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e)
{
    (void)e;
    struct serial_queue *q = b->state;
    unsigned room = q->depth - q->count, taken = n < room ? n : room;
    for (unsigned i = 0; i < taken; i++) {
        unsigned tail = q->head + q->count++;
        q->requests[tail < q->depth ? tail : tail - q->depth] = requests[i];
    }
    return (int)taken;
}

int serial_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                struct err *e)
{
    (void)e;
    struct serial_queue *q = b->state;
    unsigned wanted = min ? min : 1;
    if (wanted > q->count)
        wanted = q->count;
    if (wanted > max)
        wanted = max;
    for (unsigned i = 0; i < wanted; i++) {
        q->perform(b, &q->requests[q->head], &done[i]);
        q->head = q->head + 1 < q->depth ? q->head + 1 : 0;
        q->count--;
    }
    return (int)wanted;
}

int serial_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                      struct err *e)
{
    struct serial_queue *q = b->state;
    if (q->count)
        return serial_reap(b, done, 1, max, e);
    clock_sleep_until(q->clock, until);
    return 0;
}
