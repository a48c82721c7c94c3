/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of backends, and the choice among them, tried on the target. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

#include "io/device/block_size.h"
#include "io/nvme/nvme_io.h"

const struct io_ops *const io_backends[] = {&io_nvme_uring, &io_nvme, &io_uring,
                                            &io_sync,       &io_null, NULL};

const struct io_ops *io_backend_by_name(const char *name)
{
    for (unsigned i = 0; io_backends[i]; i++)
        if (!strcmp(io_backends[i]->name, name))
            return io_backends[i];
    return NULL;
}

bool io_bypasses_block_layer(const struct io_ops *ops)
{
    return ops == &io_nvme || ops == &io_nvme_uring;
}

uint32_t io_trial_length(const struct io_setup *setup)
{
    uint32_t block = setup->nvme && setup->nvme->is_nvme ? setup->nvme->block_size
                     : setup->fd >= 0 && setup->direct   ? direct_block_size(setup->fd)
                                                         : 0;
    size_t length = block > 4096 ? block : 4096;
    return (uint32_t)(setup->buffer_stride < length ? setup->buffer_stride : length);
}

/* One read of the target's beginning through an open backend. */
static int read_first_block(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct io_req request = {.length = io_trial_length(setup), .op = IO_READ};
    struct io_done done = {0};
    int n = b->ops->submit(b, &request, 1, e);
    if (n == 1)
        for (n = 0; n == 0;)
            n = b->ops->reap(b, &done, 1, 1, e);
    if (n < 0)
        return -1;
    if (!done.error)
        return 0;
    const char *refused = io_bypasses_block_layer(b->ops) ? nvme_refusal_words(done.error) : NULL;
    return err_set(e, ERR_TARGET, "a first read failed: %s%s%s", refused ? refused : "",
                   refused ? ": " : "", strerror(done.error));
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

/*
 * Past the block layer, where there is an NVMe namespace and the page cache is not wanted. NULL
 * when that is not so, with no reason, or when it does not work, with the reason in `e`.
 */
static const struct io_ops *choose_passthrough(const struct io_setup *setup, struct err *e)
{
    bool asked = setup->sqpoll == IO_ON || setup->iopoll == IO_ON;
    *e = (struct err){0};
    if (!setup->nvme || !setup->nvme->is_nvme || !setup->direct)
        return NULL;
    if (!try_backend(&io_nvme_uring, setup, e))
        return &io_nvme_uring;
    struct err second;
    if (setup->nvme->block_fd < 0 && setup->iodepth == 1 && !asked &&
        !try_backend(&io_nvme, setup, &second))
        return &io_nvme; /* there is no block device to read otherwise */
    return NULL;
}

/* Through the kernel's block layer and filesystems, or nowhere. */
static const struct io_ops *choose_other(const struct io_setup *setup)
{
    bool asked = setup->sqpoll == IO_ON || setup->iopoll == IO_ON;
    if (setup->fd < 0)
        return &io_null;
    return asked || setup->iodepth > 1 ? &io_uring : &io_sync;
}

static void tell_why(const struct io_ops *ops, const struct io_setup *setup, char *why, size_t size)
{
    if (ops == &io_null)
        snprintf(why, size, "there is no target");
    else if (ops == &io_sync)
        snprintf(why, size, "uring gains nothing at iodepth 1");
    else if (ops == &io_nvme_uring)
        snprintf(why, size, "it works here and goes past the block layer");
    else if (setup->iodepth > 1)
        snprintf(why, size, "it works here and keeps iodepth %u in flight", setup->iodepth);
    else
        snprintf(why, size, "it works here and --%s on needs it",
                 setup->sqpoll == IO_ON ? "sqpoll" : "iopoll");
}

const struct io_ops *io_choose(const struct io_setup *setup, char *why, size_t why_size)
{
    struct err past, e;
    const struct io_ops *ops = choose_passthrough(setup, &past);
    if (ops == &io_nvme) {
        snprintf(why, why_size, "there is no block device; nvme-uring: %s", past.msg);
        return ops;
    }
    if (ops) {
        tell_why(ops, setup, why, why_size);
        return ops;
    }
    ops = choose_other(setup);
    if (try_backend(ops, setup, &e)) {
        snprintf(why, why_size, "%s: %s%s%s", ops->name, e.msg, past.code ? "; nvme-uring: " : "",
                 past.code ? past.msg : "");
        return NULL;
    }
    tell_why(ops, setup, why, why_size);
    size_t used = strlen(why);
    if (past.code)
        snprintf(why + used, why_size - used, "; nvme-uring: %s", past.msg);
    return ops;
}
