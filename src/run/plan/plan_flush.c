/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flushes among the writes (--fsync, --fdatasync) and synchronous writes (--sync): checks of
   combinations, and descriptions. */
#include <stdio.h>

#include "io/io.h"
#include "run/plan/internal.h"

static const char *flush_name(const struct plan *p)
{
    return p->fsync ? "fsync" : "fdatasync";
}

static int check_every(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    const char *name = flush_name(p);
    const uint32_t every = plan_flush_every(p);
    if (!every)
        return 0;
    if (ops && ops->connects)
        return err_set(e, ERR_USAGE, "--%s %u is about a disk: over the network nothing is flushed",
                       name, every);
    if (p->iopoll == 1 && !(ops && ops->bypasses_block_layer))
        return err_set(e, ERR_USAGE, "--%s %u: a flush cannot be polled for: leave --iopoll out",
                       name, every);
    return 0;
}

static int check_sync(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    if (p->sync != SYNC_NONE && ops && (!ops->needs_target || ops->bypasses_block_layer))
        return err_set(e, ERR_USAGE,
                       "--sync %s is how a file or block device is opened, and --ioengine %s opens "
                       "none: use sync or uring",
                       p->sync == SYNC_ALL ? "sync" : "dsync", p->engine);
    return 0;
}

int plan_check_flush(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    return check_every(p, ops, e) || check_sync(p, ops, e) ? -1 : 0;
}

void plan_words_sync(const struct plan *p, char *to, size_t size)
{
    if (p->sync != SYNC_NONE)
        snprintf(to, size, ", %s", p->sync == SYNC_ALL ? "O_SYNC" : "O_DSYNC");
}

void plan_words_flush(const struct plan *p, char *to, size_t size)
{
    const uint32_t every = plan_flush_every(p);
    if (every == 1)
        snprintf(to, size, ", %s after each write", flush_name(p));
    else if (every)
        snprintf(to, size, ", %s after %u writes", flush_name(p), every);
}
