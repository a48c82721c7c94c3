/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The io_uring backend: reads and writes of a file descriptor, many at a time. */
#include "io/ring/internal.h"
#include <errno.h>
#include <stdlib.h>

static void queue_flush(struct ring *r, struct io_uring_sqe *sqe)
{
    io_uring_prep_fsync(sqe, r->fixed_file ? 0 : r->setup.fd, IORING_FSYNC_DATASYNC);
}

static void queue_move(struct ring *r, struct io_uring_sqe *sqe, unsigned slot)
{
    const struct io_req *request = &r->slots[slot].request;
    void *buffer = r->setup.buffers + slot * r->setup.buffer_stride;
    int fd = r->fixed_file ? 0 : r->setup.fd;
    bool write = request->op & 1;
    if (r->fixed_buffers) {
        io_uring_prep_rw(write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED, sqe, fd, buffer,
                         request->length, request->offset);
        sqe->buf_index = (uint16_t)slot;
    } else {
        io_uring_prep_rw(write ? IORING_OP_WRITE : IORING_OP_READ, sqe, fd, buffer, request->length,
                         request->offset);
    }
    if (request->op == IO_WRITE_DURABLE)
        sqe->rw_flags = RWF_DSYNC;
}

static bool queue_request(struct ring *r, unsigned slot)
{
    struct io_uring_sqe *sqe = ring_entry(r, slot);
    if (!sqe)
        return false;
    if (r->slots[slot].request.op == IO_FLUSH)
        queue_flush(r, sqe);
    else
        queue_move(r, sqe, slot);
    if (r->fixed_file)
        sqe->flags |= IOSQE_FIXED_FILE;
    sqe->user_data = slot;
    return true;
}

static unsigned collect(struct ring *r, struct io_done done[], unsigned most)
{
    uint64_t now = clock_ticks(r->setup.clock);
    unsigned n = 0, seen = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&r->uring, head, cqe)
    {
        if (n == most)
            break;
        seen++;
        r->entries--;
        unsigned slot = (unsigned)cqe->user_data;
        if ((cqe->res == -EAGAIN || cqe->res == -EINTR) && queue_request(r, slot))
            continue; /* it was not even tried; its t_sub stays */
        const struct ring_slot *s = &r->slots[slot];
        if (cqe->res < 0)
            io_done_set(&done[n++], &s->request, s->t_sub, now, 0, -cqe->res);
        else
            io_done_set(&done[n++], &s->request, s->t_sub, now, (uint32_t)cqe->res, 0);
    }
    io_uring_cq_advance(&r->uring, seen);
    r->in_flight -= n;
    return n;
}

static int uring_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    static const struct ring_ops ops = {.queue = queue_request, .collect = collect};
    struct ring *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(e, ERR_MACHINE, "no memory for a ring");
    if (ring_reserve(r, &ops, setup, setup->iodepth, e) || uring_setup(r, b, e)) {
        ring_release(r);
        free(r);
        return -1;
    }
    b->ops = &io_uring;
    b->state = r;
    return 0;
}

static void uring_close(struct io_backend *b)
{
    struct ring *r = b->state;
    if (!r)
        return;
    ring_close(r);
    ring_release(r);
    free(r);
    b->state = NULL;
}

const struct io_ops io_uring = {
    .name = "uring",
    .help = "io_uring: many requests at once, with registered buffers and file",
    .needs_target = true,
    .open = uring_open,
    .submit = ring_submit,
    .reap = ring_reap,
    .reap_until = ring_reap_until,
    .exchange = io_submit_and_reap,
    .close = uring_close,
};
