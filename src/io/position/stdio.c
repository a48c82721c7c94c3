/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stdio backend: fread and fwrite, through a buffer of the C library that has the size of one
 * request. A write is complete when its data are in that buffer. Data that a pass leaves in the
 * buffer are written before the next pass begins, and at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/position/internal.h"
#include "io/ring/serial_queue.h"

struct stdio_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    /* the worker's setup; its fd is the one that `file` uses, for this worker alone */
    struct io_setup setup;
    FILE *file;
    char *buffer; /* buffer of `file` */
    uint64_t position;
    /* the last request was a write: between a read and a write, in any order, C requires a seek */
    bool writing;
};

static int to_medium(struct stdio_state *s)
{
    return fflush(s->file) || io_flush_file(&s->setup, s->setup.fd) ? -1 : 0;
}

/* Returns the bytes moved, or -1 with errno. */
static ssize_t stdio_move(struct stdio_state *s, const struct io_req *request)
{
    unsigned char *buffer = s->setup.buffers + request->slot * s->setup.buffer_stride;
    if (request->command == REQUEST_FLUSH)
        return to_medium(s);
    bool writes = request->command != REQUEST_READ;
    if ((s->position != request->offset || s->writing != writes) &&
        fseeko(s->file, (off_t)request->offset, SEEK_SET))
        return -1;
    s->writing = writes;
    errno = EBADF; /* some C libraries do not set errno when a file is open only for reading */
    size_t moved;
    if (writes)
        moved = fwrite(buffer, 1, request->length, s->file);
    else
        moved = fread(buffer, 1, request->length, s->file);
    s->position = request->offset + moved;
    /* otherwise the library would still report the error, or the end of the file, to later calls */
    if (moved < request->length) {
        bool failed = ferror(s->file);
        clearerr(s->file);
        s->position = POSITION_NOWHERE;
        return failed ? -1 : (ssize_t)moved;
    }
    return request->command == REQUEST_WRITE_DURABLE && to_medium(s) ? -1 : (ssize_t)moved;
}

/* Writes the data of the earlier pass that the library still buffers. Returns 0 or an errno. */
static int begin_pass(struct stdio_state *s)
{
    if (s->writing && fflush(s->file))
        return errno;
    s->position = POSITION_NOWHERE;
    return io_pass_prepare(&s->setup);
}

static void stdio_perform(struct io_backend *b, const struct io_req *request, struct io_done *done)
{
    struct stdio_state *s = b->state;
    int unprepared = io_begins_pass(&s->setup, request) ? begin_pass(s) : 0;
    uint64_t t_sub = clock_ticks(s->setup.clock);
    ssize_t moved = unprepared ? -1 : stdio_move(s, request);
    uint64_t t_cpl = clock_ticks(s->setup.clock);
    int error = moved >= 0 ? 0 : unprepared ? unprepared : errno;
    io_done_set(done, request, t_sub, t_cpl, moved < 0 ? 0 : (uint32_t)moved, error);
}

/* Opens a stream of the C library over a new descriptor. Returns -1 if it fails, and then nothing
   stays open. */
static int open_file(struct stdio_state *s, struct err *e)
{
    int fd = position_open(&s->setup, e);
    if (fd < 0)
        return -1;
    bool reads = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    s->file = fdopen(fd, reads ? "r" : "r+");
    if (!s->file) {
        close(fd);
        return err_no_memory(e, "a file of the C library's");
    }
    s->setup.fd = fd;
    s->buffer = malloc(s->setup.buffer_stride);
    if (s->buffer && !setvbuf(s->file, s->buffer, _IOFBF, s->setup.buffer_stride))
        return 0;
    fclose(s->file);
    free(s->buffer);
    return err_no_memory(e, "a buffer of the C library's");
}

static int stdio_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    if (setup->direct)
        return err_set(e, ERR_USAGE,
                       "stdio has a buffer of the C library's, which is not aligned as O_DIRECT "
                       "needs it");
    struct stdio_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    s->setup = *setup;
    if (serial_queue_reserve(&s->queue, setup, e) || open_file(s, e)) {
        serial_queue_release(&s->queue);
        free(s);
        return -1;
    }
    s->queue.perform = stdio_perform;
    s->position = POSITION_NOWHERE;
    b->ops = &io_stdio;
    b->state = s;
    position_describe(b, setup, "fread and fwrite with a buffer of one request");
    return 0;
}

static void stdio_close(struct io_backend *b)
{
    struct stdio_state *s = b->state;
    fclose(s->file);
    free(s->buffer);
    serial_queue_release(&s->queue);
    free(s);
    b->state = NULL;
}

const struct io_ops io_stdio = {
    .name = "stdio",
    .help = "fread and fwrite: one request at a time, through the C library's buffer",
    .needs_target = true,
    .serial = true,
    .begins_passes = true,
    .buffers_itself = true,
    .parallel = IO_MANY_IN_FLIGHT,
    .open = stdio_open,
    .submit = serial_submit,
    .reap = serial_reap,
    .reap_until = serial_reap_until,
    .exchange = io_submit_and_reap,
    .close = stdio_close,
};
