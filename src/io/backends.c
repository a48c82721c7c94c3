/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of backends, and the choice among them, tried on the target. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

const struct io_ops *const io_backends[] = {&io_uring, &io_sync, &io_null, NULL};

const struct io_ops *io_backend_by_name(const char *name)
{
    for (unsigned i = 0; io_backends[i]; i++)
        if (!strcmp(io_backends[i]->name, name))
            return io_backends[i];
    return NULL;
}

/* One read of the target's first block through an open backend. */
static int read_first_block(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    size_t length = setup->buffer_stride < 4096 ? setup->buffer_stride : 4096;
    struct io_req request = {.length = (uint32_t)length, .op = IO_READ};
    struct io_done done = {0};
    int n = b->ops->submit(b, &request, 1, e);
    if (n == 1)
        for (n = 0; n == 0;)
            n = b->ops->reap(b, &done, 1, 1, e);
    if (n < 0)
        return -1;
    if (done.error)
        return err_set(e, ERR_TARGET, "a first read failed: %s", strerror(done.error));
    return 0;
}

static int try_backend(const struct io_ops *ops, const struct io_setup *setup, struct err *e)
{
    struct io_backend b = {0};
    if (ops->open(&b, setup, e))
        return -1;
    int status = read_first_block(&b, setup, e);
    ops->close(&b);
    return status;
}

const struct io_ops *io_choose(const struct io_setup *setup, char *why, size_t why_size)
{
    bool asked = setup->sqpoll == IO_ON || setup->iopoll == IO_ON;
    const struct io_ops *ops = setup->fd < 0                 ? &io_null
                               : asked || setup->iodepth > 1 ? &io_uring
                                                             : &io_sync;
    struct err e;
    if (try_backend(ops, setup, &e)) {
        snprintf(why, why_size, "%s: %s", ops->name, e.msg);
        return NULL;
    }
    if (ops == &io_null)
        snprintf(why, why_size, "there is no target");
    else if (ops == &io_sync)
        snprintf(why, why_size, "uring gains nothing at iodepth 1");
    else if (setup->iodepth > 1)
        snprintf(why, why_size, "it works here and keeps iodepth %u in flight", setup->iodepth);
    else
        snprintf(why, why_size, "it works here and --%s on needs it",
                 setup->sqpoll == IO_ON ? "sqpoll" : "iopoll");
    return ops;
}
