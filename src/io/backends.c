/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the backends, and chooses one for `auto` by trying backends on the target. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

#include "io/device/block_device.h"
#include "io/nvme/device_failures.h"
#include "io/nvme/nvme_io.h"
#include "io/scsi/scsi_unit.h"

const struct io_ops *io_backend_by_name(const char *name)
{
#define BACKEND(ops, text) &(ops),
    static const struct io_ops *const backends[] = {IO_BACKEND_ROWS(BACKEND) NULL};
#undef BACKEND
    for (unsigned i = 0; backends[i]; i++)
        if (!strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}

/* Opens the backend, reads the beginning of the target, and closes the backend. */
static int try_backend(const struct io_ops *ops, const struct io_setup *setup, struct err *e)
{
    struct io_backend b = {0};
    if (ops->open(&b, setup, e))
        return -1;
    uint32_t block = setup->nvme && setup->nvme->is_nvme  ? setup->nvme->block_size
                     : setup->scsi && setup->scsi->usable ? setup->scsi->block_size
                     : setup->fd >= 0 && setup->direct    ? direct_block_size(setup->fd)
                                                          : 0;
    struct io_req request = {.length = io_trial_length(setup, block), .command = REQUEST_READ};
    struct io_done done = {0};
    int n = ops->submit(&b, &request, 1, e);
    if (n == 1)
        for (n = 0; n == 0;)
            n = ops->reap(&b, &done, 1, 1, e);
    if (n > 0 && done.error) {
        char words[120];
        const char *refused = b.statuses.count
                                  ? io_status_words(b.statuses.rows[0].status, words, sizeof words)
                              : ops->needs_namespace ? nvme_refusal_words(done.error)
                                                     : NULL;
        n = err_set(e, ERR_TARGET, "a first read failed: %s%s%s", refused ? refused : "",
                    refused ? ": " : "", strerror(done.error));
    }
    ops->close(&b);
    return n < 0 ? -1 : 0;
}

const struct io_ops *io_choose(const struct io_setup *setup, char *why, size_t why_size)
{
    bool polls = setup->sqpoll == IO_ON || setup->iopoll == IO_ON;
    bool asked = polls || setup->priorities;
    struct err e, past = {0};

    /* Passthrough is for NVMe namespaces, and only for direct I/O: it has no page cache. */
    if (setup->nvme && setup->nvme->is_nvme && setup->direct && !setup->block_layer) {
        if (!try_backend(&io_nvme_uring, setup, &past)) {
            snprintf(why, why_size, "it works here and goes past the block layer");
            return &io_nvme_uring;
        }
        if (setup->nvme->block_fd < 0 && setup->iodepth == 1 && !asked &&
            !try_backend(&io_nvme, setup, &e)) {
            snprintf(why, why_size, "there is no block device; nvme-uring: %s", past.msg);
            return &io_nvme;
        }
    }

    if (setup->scsi && setup->scsi->usable && setup->scsi->generic) {
        snprintf(why, why_size, "it is a generic SCSI device");
        if (!try_backend(&io_sg, setup, &e))
            return &io_sg;
        snprintf(why, why_size, "%s: %s", io_sg.name, e.msg);
        return NULL;
    }

    /* All other I/O goes through the kernel's block layer and filesystems, or to the null
       backend. */
    const struct io_ops *ops = setup->fd < 0                 ? &io_null
                               : asked || setup->iodepth > 1 ? &io_uring
                                                             : &io_sync;
    bool works = !try_backend(ops, setup, &e);
    if (!works)
        snprintf(why, why_size, "%s: %s", ops->name, e.msg);
    else if (!ops->needs_target)
        snprintf(why, why_size, "there is no target");
    else if (ops->serial)
        snprintf(why, why_size, "%s gains nothing at iodepth 1", ops->parallel);
    else if (setup->iodepth > 1)
        snprintf(why, why_size, "it works here and keeps iodepth %u in flight", setup->iodepth);
    else if (!polls)
        snprintf(why, why_size, "it works here and gives each request its priority");
    else
        snprintf(why, why_size, "it works here and --%s on needs it",
                 setup->sqpoll == IO_ON ? "sqpoll" : "iopoll");
    size_t used = strlen(why);
    if (past.code)
        snprintf(why + used, why_size - used, "; nvme-uring: %s", past.msg);
    return works ? ops : NULL;
}
