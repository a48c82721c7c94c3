/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sync backend: pread and pwrite, one request at a time. Requests beyond the first wait in a
 * queue of our own and have their time stamps taken around their own call.
 */
#include "io/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct sync_state {
    struct io_setup setup;
    unsigned head, queued;
    struct io_req queue[]; /* a ring of iodepth places */
};

static int sync_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct sync_state *s = calloc(1, sizeof *s + setup->iodepth * sizeof s->queue[0]);
    if (!s)
        return err_set(e, ERR_MACHINE, "no memory for %u requests", setup->iodepth);
    s->setup = *setup;
    b->ops = &io_sync;
    b->state = s;
    snprintf(b->description, sizeof b->description, "pread and pwrite, one at a time%s",
             setup->direct ? ", O_DIRECT" : ", through the page cache");
    return 0;
}

static int sync_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                       struct err *e)
{
    (void)e;
    struct sync_state *s = b->state;
    unsigned iodepth = s->setup.iodepth;
    unsigned taken = n < iodepth - s->queued ? n : iodepth - s->queued;
    for (unsigned i = 0; i < taken; i++) {
        unsigned tail = s->head + s->queued++;
        s->queue[tail < iodepth ? tail : tail - iodepth] = requests[i];
    }
    return (int)taken;
}

static void perform(const struct io_setup *setup, const struct io_req *request,
                    struct io_done *done)
{
    unsigned char *buffer = setup->buffers + request->slot * setup->buffer_stride;
    uint64_t t_sub = clock_ticks(setup->clock);
    ssize_t moved = request->op == IO_WRITE
                        ? pwrite(setup->fd, buffer, request->length, (off_t)request->offset)
                        : pread(setup->fd, buffer, request->length, (off_t)request->offset);
    uint64_t t_cpl = clock_ticks(setup->clock);
    if (moved < 0)
        io_done_set(done, request, t_sub, t_cpl, 0, errno);
    else
        io_done_set(done, request, t_sub, t_cpl, (uint32_t)moved, 0);
}

static int sync_reap(struct io_backend *b, struct io_done done[], unsigned least, unsigned most,
                     struct err *e)
{
    (void)e;
    struct sync_state *s = b->state;
    unsigned wanted = least ? least : 1;
    if (wanted > s->queued)
        wanted = s->queued;
    if (wanted > most)
        wanted = most;
    for (unsigned i = 0; i < wanted; i++) {
        perform(&s->setup, &s->queue[s->head], &done[i]);
        s->head = s->head + 1 < s->setup.iodepth ? s->head + 1 : 0;
        s->queued--;
    }
    return (int)wanted;
}

static void sync_close(struct io_backend *b)
{
    free(b->state);
    b->state = NULL;
}

const struct io_ops io_sync = {
    .name = "sync",
    .help = "pread and pwrite: one request at a time, whatever the iodepth",
    .needs_target = true,
    .open = sync_open,
    .submit = sync_submit,
    .reap = sync_reap,
    .exchange = io_submit_and_reap,
    .close = sync_close,
};
