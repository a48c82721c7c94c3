/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readwrite backend: read and write at the file's position. A request that does not begin where
   the last one ended is preceded by an lseek. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/position/internal.h"
#include "io/ring/serial_queue.h"

struct readwrite_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    struct io_setup setup; /* the worker's setup; its fd belongs to this worker alone */
    uint64_t position;
};

static int move_position(struct readwrite_state *s, uint64_t to)
{
    if (s->position == to)
        return 0;
    return lseek(s->setup.fd, (off_t)to, SEEK_SET) < 0 ? -1 : 0;
}

/* Returns the bytes moved, or -1 with errno. */
static ssize_t readwrite_move(struct readwrite_state *s, const struct io_req *request)
{
    unsigned char *buffer = s->setup.buffers + request->slot * s->setup.buffer_stride;
    if (request->command == REQUEST_FLUSH)
        return io_flush_file(&s->setup, s->setup.fd);
    if (request->command == REQUEST_TRIM)
        return io_trim(&s->setup, s->setup.fd, request);
    if (move_position(s, request->offset))
        return -1;
    ssize_t moved = request->command == REQUEST_READ ? read(s->setup.fd, buffer, request->length)
                                                     : write(s->setup.fd, buffer, request->length);
    s->position = moved < 0 ? POSITION_NOWHERE : request->offset + (uint64_t)moved;
    if (moved >= 0 && request->command == REQUEST_WRITE_DURABLE && fdatasync(s->setup.fd))
        return -1;
    return moved;
}

static void readwrite_perform(struct io_backend *b, const struct io_req *request,
                              struct io_done *done)
{
    struct readwrite_state *s = b->state;
    int unprepared = io_begins_pass(&s->setup, request) ? io_pass_prepare(&s->setup) : 0;
    uint64_t t_sub = clock_ticks(s->setup.clock);
    ssize_t moved = unprepared ? -1 : readwrite_move(s, request);
    uint64_t t_cpl = clock_ticks(s->setup.clock);
    int error = moved >= 0 ? 0 : unprepared ? unprepared : errno;
    io_done_set(done, request, t_sub, t_cpl, moved < 0 ? 0 : (uint32_t)moved, error);
}

static int readwrite_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct readwrite_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    s->setup = *setup;
    s->setup.fd = position_open(setup, e);
    if (s->setup.fd < 0 || serial_queue_reserve(&s->queue, setup, e)) {
        if (s->setup.fd >= 0)
            close(s->setup.fd);
        free(s);
        return -1;
    }
    s->queue.perform = readwrite_perform;
    s->position = POSITION_NOWHERE;
    b->ops = &io_readwrite;
    b->state = s;
    position_describe(b, setup, "read and write at the file's position");
    return 0;
}

static void readwrite_close(struct io_backend *b)
{
    struct readwrite_state *s = b->state;
    close(s->setup.fd);
    serial_queue_release(&s->queue);
    free(s);
    b->state = NULL;
}

const struct io_ops io_readwrite = {
    .name = "readwrite",
    .help = "read, write and lseek: one request at a time, at the file's position",
    .needs_target = true,
    .serial = true,
    .begins_passes = true,
    .trims = true,
    .parallel = IO_MANY_IN_FLIGHT,
    .open = readwrite_open,
    .submit = serial_submit,
    .reap = serial_reap,
    .reap_until = serial_reap_until,
    .exchange = io_submit_and_reap,
    .close = readwrite_close,
};
