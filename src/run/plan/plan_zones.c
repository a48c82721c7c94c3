/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks --zonemode zbd with the engine and the depth. */
#include "io/io.h"
#include "run/plan/internal.h"

int plan_check_zones(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (!p->zones)
        return 0;
    if (ops && (!ops->needs_target || ops->action))
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd is about a zoned device, and --ioengine %s has none",
                       p->engine);
    if (p->write_share > 0 && p->iodepth > 1)
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd: a job has one write in flight, not %u, for the next one "
                       "would overtake it, and a reset would be in its latency: use --numjobs %u",
                       p->iodepth, p->iodepth * p->jobs);
    return 0;
}
