/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The uring backend: reads, writes and trims of a file descriptor by io_uring, many in flight. */
#include <errno.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "io/atomic.h"
#include "io/device/block_device.h"
#include "io/ring/ring.h"

static void uring_queue_flush(struct ring *r, struct io_uring_sqe *sqe)
{
    io_uring_prep_fsync(sqe, r->fixed_file ? 0 : r->setup.fd,
                        r->setup.flushes_all ? 0 : IORING_FSYNC_DATASYNC);
}

/* This command is in linux/blkdev.h since Linux 6.12. The kernel runs it without one of its
   threads. */
#define RING_DISCARD _IO(0x12, 0)

static void uring_prepare_discard(struct io_uring_sqe *sqe, int fd, uint64_t offset,
                                  uint64_t length)
{
    io_uring_prep_rw(IORING_OP_URING_CMD, sqe, fd, NULL, 0, 0);
    sqe->cmd_op = RING_DISCARD;
    sqe->addr = offset;
    sqe->addr3 = length;
}

/* Queues a trim. The kernel punches holes in files in one of its threads. It runs a discard there
   as well if the device refuses requests that may not wait. */
static void uring_queue_trim(struct ring *r, struct io_uring_sqe *sqe, const struct io_req *request)
{
    int fd = r->fixed_file ? 0 : r->setup.fd;
    if (r->setup.block_device)
        uring_prepare_discard(sqe, fd, request->offset, request->length);
    else
        io_uring_prep_fallocate(sqe, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                request->offset, request->length);
    if (r->threads_trim)
        sqe->flags |= IOSQE_ASYNC;
}

static bool device_waits(const struct io_setup *setup)
{
    struct stat st;
    return setup->block_device && !fstat(setup->fd, &st) &&
           !device_has_request_queues("", st.st_rdev);
}

static void uring_queue_move(struct ring *r, struct io_uring_sqe *sqe, unsigned slot)
{
    const struct io_req *request = &r->slots[slot].request;
    void *buffer = r->setup.buffers + slot * r->setup.buffer_stride;
    int fd = r->fixed_file ? 0 : r->setup.fd;
    bool write = request_sends_data(request->command);
    if (r->fixed_buffers) {
        io_uring_prep_rw(write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED, sqe, fd, buffer,
                         request->length, request->offset);
        sqe->buf_index = (uint16_t)slot;
    } else {
        io_uring_prep_rw(write ? IORING_OP_WRITE : IORING_OP_READ, sqe, fd, buffer, request->length,
                         request->offset);
    }
    if (request->command == REQUEST_WRITE_DURABLE)
        sqe->rw_flags = RWF_DSYNC;
    if (write && r->setup.atomic)
        sqe->rw_flags |= RWF_ATOMIC;
    if (r->setup.priorities)
        sqe->ioprio = r->setup.priorities[request->kind];
}

static bool uring_queue_request(struct ring *r, unsigned slot)
{
    struct io_uring_sqe *sqe = ring_entry(r, slot);
    if (!sqe)
        return false;
    if (r->slots[slot].request.command == REQUEST_FLUSH)
        uring_queue_flush(r, sqe);
    else if (r->slots[slot].request.command == REQUEST_TRIM)
        uring_queue_trim(r, sqe, &r->slots[slot].request);
    else
        uring_queue_move(r, sqe, slot);
    if (r->fixed_file)
        sqe->flags |= IOSQE_FIXED_FILE;
    sqe->user_data = slot;
    return true;
}

static unsigned uring_collect(struct ring *r, struct io_done done[], unsigned max)
{
    uint64_t now = clock_ticks(r->setup.clock);
    unsigned n = 0, seen = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&r->uring, head, cqe)
    {
        if (n == max)
            break;
        seen++;
        r->entries--;
        unsigned slot = (unsigned)cqe->user_data;
        if ((cqe->res == -EAGAIN || cqe->res == -EINTR) && uring_queue_request(r, slot))
            /* the kernel did not try the request; it is queued again, and keeps its t_sub */
            continue;
        const struct ring_slot *s = &r->slots[slot];
        if (cqe->res < 0)
            io_done_set(&done[n++], &s->request, s->t_sub, now, 0, -cqe->res);
        else
            io_done_set(&done[n++], &s->request, s->t_sub, now,
                        s->request.command == REQUEST_TRIM ? s->request.length : (uint32_t)cqe->res,
                        0);
    }
    io_uring_cq_advance(&r->uring, seen);
    r->in_flight -= n;
    return n;
}

/* Makes a ring with the given IORING_SETUP_ flags for the target's descriptor. */
static int uring_make_ring(struct ring *r, unsigned flags, struct err *e)
{
    const struct ring_request request = {.fd = r->setup.fd,
                                         .entries = r->setup.iodepth,
                                         .flags = flags,
                                         .piece = r->setup.buffer_stride};
    return ring_make(r, &request, e);
}

/* Refuses a ring that polls if the kernel would split the requests: Linux 6.1 loses the completions
   of split requests when it polls, and for large requests polling has little benefit. */
static int refuse_pieces(const struct ring *r, dev_t device, struct err *e)
{
    const uint64_t most = device_piece_bytes("", device);
    if (!most || r->setup.buffer_stride <= most)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "the kernel splits requests of more than %" PRIu64
                   " bytes to this device, which cannot be polled for; use --iopoll off",
                   most);
}

/* Makes a ring that polls. Returns -1 with the reason if that is not possible. */
static int uring_try_polled(struct ring *r, struct err *e)
{
    if (r->setup.flushes)
        return err_set(e, ERR_MACHINE, "a flush cannot be polled for; use --iopoll off");
    if (r->setup.trims)
        return err_set(e, ERR_MACHINE, "a trim cannot be polled for; use --iopoll off");
    if (!r->setup.direct)
        return err_set(e, ERR_MACHINE, "polled completions need --direct 1");
    struct stat st;
    const bool known = !fstat(r->setup.fd, &st);
    const dev_t device = !known ? 0 : S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
    if (!known || !device_has_poll_queues("", device))
        return err_set(e, ERR_MACHINE,
                       "the device has no poll queues (queue/io_poll 0); use --iopoll off");
    if (refuse_pieces(r, device, e) || uring_make_ring(r, IORING_SETUP_IOPOLL, e))
        return -1;
    int status = ring_probe_read(r, io_trial_length(&r->setup, direct_block_size(r->setup.fd)));
    if (status >= 0)
        return 0;
    ring_drop(r);
    return err_set(e, ERR_MACHINE, "a polled read failed: %s; use --iopoll off", strerror(-status));
}

/*
 * Finds out whether the kernel discards through the ring. A discard of no bytes changes nothing: a
 * kernel that knows the command answers that it is invalid, others that there is no such command.
 */
static int uring_probe_discard(struct ring *r, struct err *e)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);
    struct io_uring_cqe *cqe;
    if (!sqe)
        return err_set(e, ERR_MACHINE, "no room in the ring for a first command");
    uring_prepare_discard(sqe, r->fixed_file ? 0 : r->setup.fd, 0, 0);
    if (r->fixed_file)
        sqe->flags |= IOSQE_FIXED_FILE;
    int sent, status = 0;
    do
        sent = io_uring_submit_and_wait(&r->uring, 1);
    while (sent == -EINTR);
    while ((status = io_uring_wait_cqe(&r->uring, &cqe)) == -EINTR)
        ;
    if (!status) {
        status = cqe->res;
        io_uring_cqe_seen(&r->uring, cqe);
    }
    if (status == -EINVAL)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "this kernel discards one at a time: io_uring discards since Linux 6.12 (%s). "
                   "Use the engine sync, with --numjobs for several in flight",
                   strerror(-status));
}

/* Makes the ring. It polls for completions if that is requested, or if a trial of polling works.
   Afterwards b->description states what is in use. Errors: ERR_MACHINE. */
static int uring_setup_ring(struct ring *r, struct io_backend *b, struct err *e)
{
    bool must_poll = r->setup.iopoll == IO_ON;
    bool made = r->setup.iopoll != IO_OFF && !uring_try_polled(r, must_poll ? e : NULL);
    if (!made && (must_poll || uring_make_ring(r, 0, e)))
        return -1;
    if (r->setup.trims && r->setup.block_device && uring_probe_discard(r, e)) {
        ring_drop(r);
        return -1;
    }
    r->threads_trim = r->setup.trims && device_waits(&r->setup);
    char registered[80], kind[64];
    ring_describe_registered(r, registered, sizeof registered);
    ring_describe_kind(r, kind, sizeof kind);
    snprintf(b->description, sizeof b->description, "io_uring, %.60s, %.60s%s%s", registered, kind,
             !r->setup.trims          ? ""
             : !r->setup.block_device ? ", holes punched by kernel threads"
             : r->threads_trim        ? ", discards by kernel threads"
                                      : ", discards",
             r->setup.direct ? ", O_DIRECT" : ", through the page cache");
    b->polls = r->polled;
    return 0;
}

static int uring_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    static const struct ring_ops ops = {.queue = uring_queue_request, .collect = uring_collect};
    struct ring *r = calloc(1, sizeof *r);
    if (!r)
        return err_no_memory(e, "a ring");
    if (ring_reserve(r, &ops, setup, setup->iodepth, e) || uring_setup_ring(r, b, e)) {
        ring_release(r);
        free(r);
        return -1;
    }
    b->ops = &io_uring;
    b->state = r;
    b->completion_fd = r->uring.ring_fd;
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
    .can_poll = true,
    .takes_priorities = true,
    .writes_atomically = true,
    .trims = true,
    .open = uring_open,
    .submit = ring_submit,
    .reap = ring_reap,
    .reap_until = ring_reap_until,
    .exchange = io_submit_and_reap,
    .close = uring_close,
};
