/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of priorities with each other, with an engine and with the page cache. */
#include "io/io.h"
#include "run/plan/internal.h"

int plan_check_priorities(const struct plan *p, struct err *e)
{
    const bool of_all = plan_priority(p), of_some = plan_has_priorities(p);
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    struct request_kinds kinds;
    if (request_kinds_read(&kinds, p->kinds, e))
        return -1;
    if (!of_all && !of_some)
        return 0;
    if (ops && (ops->bypasses_block_layer || !ops->needs_target))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s goes past the block layer, which is what takes priorities; "
                       "use --ioengine %s",
                       p->engine, IO_MANY_IN_FLIGHT);
    if (ops && of_some && !ops->takes_priorities)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s has one priority for all requests; use --ioengine %s",
                       p->engine, IO_MANY_IN_FLIGHT);
    if (of_all && !p->direct && p->write_share > 0)
        return err_set(e, ERR_USAGE,
                       "--prio, --prioclass and --priohint do not reach what the kernel writes "
                       "back from the page cache later: leave --direct 0 out");
    return 0;
}
