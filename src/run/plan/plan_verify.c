/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of --verify with other options. */
#include "io/io.h"
#include "run/plan/internal.h"

enum { SECTOR_MIN = 512 };

/* Refuses engines with nothing that could be read back. */
static int check_verify_engine(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    if (ops && ops->action)
        return err_set(
            e, ERR_USAGE,
            "--verify reads back what was written, and --ioengine %s writes no data: %ss "
            "move no bytes",
            p->engine, ops->action->name);
    if (ops && ops->connects)
        return err_set(
            e, ERR_USAGE,
            "--verify reads back what was written, and the far end of a connection keeps "
            "nothing (--net)");
    if (ops && !ops->needs_target)
        return err_set(e, ERR_USAGE,
                       "--verify reads back what was written, and --ioengine %s writes nothing",
                       p->engine);
    return 0;
}

int plan_check_verify(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (!p->verify)
        return 0;
    if (check_verify_engine(p, ops, e))
        return -1;
    if (!plan_is_timed(p) && p->block_size % SECTOR_MIN)
        return err_set(
            e, ERR_USAGE,
            "--bs %u: with --verify a block is a multiple of %d bytes, each of which has "
            "a stamp",
            p->block_size, SECTOR_MIN);
    if (p->offset % SECTOR_MIN)
        return err_set(e, ERR_USAGE, "--offset %llu: with --verify it is a multiple of %d bytes",
                       (unsigned long long)p->offset, SECTOR_MIN);
    return 0;
}
