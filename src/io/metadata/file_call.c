/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes requests that are one system call each, without data. */
#include "io/metadata/file_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct file_call_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    struct io_setup setup;
    file_call *call;
};

static void file_call_perform(struct io_backend *b, const struct io_req *request,
                              struct io_done *done)
{
    const struct file_call_state *s = b->state;
    uint64_t t_sub = clock_ticks(s->setup.clock);
    int status = request->command == REQUEST_FLUSH ? io_flush_file(&s->setup, s->setup.fd)
                                                   : s->call(&s->setup, request);
    uint64_t t_cpl = clock_ticks(s->setup.clock);
    io_done_set(done, request, t_sub, t_cpl, status ? 0 : request->length, status ? errno : 0);
}

int file_call_open(struct io_backend *b, const struct io_setup *setup, const struct io_ops *ops,
                   file_call *call, const char *description, struct err *e)
{
    struct file_call_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    if (serial_queue_reserve(&s->queue, setup, e)) {
        free(s);
        return -1;
    }
    s->queue.perform = file_call_perform;
    s->setup = *setup;
    s->call = call;
    b->ops = ops;
    b->state = s;
    snprintf(b->description, sizeof b->description, "%s", description);
    return 0;
}

void file_call_close(struct io_backend *b)
{
    struct file_call_state *s = b->state;
    serial_queue_release(&s->queue);
    free(s);
    b->state = NULL;
}
