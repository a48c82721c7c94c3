/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sync backend: pread, pwrite and trims, one request at a time. */
#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/atomic.h"
#include "io/ring/serial_queue.h"

struct sync_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    struct io_setup setup;
};

static ssize_t sync_move(const struct io_setup *setup, unsigned char *buffer,
                         const struct io_req *request)
{
    const int fd = setup->fd;
    struct iovec v = {.iov_base = buffer, .iov_len = request->length};
    int flags = request->command == REQUEST_WRITE_DURABLE ? RWF_DSYNC : 0;
    if (request->command == REQUEST_READ)
        return pread(fd, buffer, request->length, (off_t)request->offset);
    if (request->command == REQUEST_FLUSH)
        return io_flush_file(setup, fd);
    if (request->command == REQUEST_TRIM)
        return io_trim(setup, fd, request);
    if (setup->atomic)
        flags |= RWF_ATOMIC;
    if (!flags)
        return pwrite(fd, buffer, request->length, (off_t)request->offset);
    /* The offset is passed in two halves; 64-bit kernels take the whole offset from the first
       argument. */
    return syscall(SYS_pwritev2, fd, &v, 1ul, (long)request->offset, (long)(request->offset >> 32),
                   flags);
}

static void sync_perform(struct io_backend *b, const struct io_req *request, struct io_done *done)
{
    const struct io_setup *setup = &((struct sync_state *)b->state)->setup;
    unsigned char *buffer = setup->buffers + request->slot * setup->buffer_stride;
    int unprepared = io_begins_pass(setup, request) ? io_pass_prepare(setup) : 0;
    uint64_t t_sub = clock_ticks(setup->clock);
    ssize_t moved = unprepared ? -1 : sync_move(setup, buffer, request);
    uint64_t t_cpl = clock_ticks(setup->clock);
    if (moved < 0)
        io_done_set(done, request, t_sub, t_cpl, 0, unprepared ? unprepared : errno);
    else
        io_done_set(done, request, t_sub, t_cpl, (uint32_t)moved, 0);
}

static int sync_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct sync_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    if (serial_queue_reserve(&s->queue, setup, e)) {
        free(s);
        return -1;
    }
    s->queue.perform = sync_perform;
    s->setup = *setup;
    b->ops = &io_sync;
    b->state = s;
    snprintf(b->description, sizeof b->description, "pread and pwrite, one at a time%s%s",
             io_trim_words(setup), setup->direct ? ", O_DIRECT" : ", through the page cache");
    return 0;
}

static void sync_close(struct io_backend *b)
{
    struct sync_state *s = b->state;
    serial_queue_release(&s->queue);
    free(s);
    b->state = NULL;
}

const struct io_ops io_sync = {
    .name = "sync",
    .help = "pread and pwrite: one request at a time, at any iodepth",
    .needs_target = true,
    .serial = true,
    .writes_atomically = true,
    .begins_passes = true,
    .trims = true,
    .parallel = IO_MANY_IN_FLIGHT,
    .open = sync_open,
    .submit = serial_submit,
    .reap = serial_reap,
    .reap_until = serial_reap_until,
    .exchange = io_submit_and_reap,
    .close = sync_close,
};
