/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of --zonemode zbd with other options. */
#include "io/io.h"
#include "run/plan/plan.h"

static int check_alone(const struct plan *p, struct err *e)
{
    const char *name = p->zone_size                  ? "zonesize"
                       : p->max_open_zones           ? "max_open_zones"
                       : p->zone_reset_threshold > 0 ? "zone_reset_threshold"
                       : p->zone_reset_frequency > 0 ? "zone_reset_frequency"
                       : p->read_beyond_wp           ? "read_beyond_wp"
                                                     : NULL;
    return name ? err_set(e, ERR_USAGE, "--%s goes with --zonemode zbd only", name) : 0;
}

static int check_writes(const struct plan *p, struct err *e)
{
    if (p->iodepth > 1)
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd: a job has one write in flight, not %u, for the next one "
                       "would overtake it, and a reset would be in its latency: use --numjobs %u",
                       p->iodepth, p->iodepth * p->jobs);
    if ((p->zone_reset_threshold > 0) != (p->zone_reset_frequency > 0))
        return err_set(e, ERR_USAGE,
                       "--zone_reset_threshold and --zone_reset_frequency go together: say both");
    return 0;
}

int plan_check_zones(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (!p->zones)
        return check_alone(p, e);
    if (plan_is_timed(p) || p->find_rate[0])
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd: zones are written and read by a closed loop of one size: "
                       "rates, phases, think times, several sizes, --random_distribution and "
                       "--profile do not go with it");
    if (p->verify)
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd resets zones, which then hold nothing that could be read "
                       "back: --verify does not go with it");
    if (p->offset_increment || p->atomic)
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd: jobs share the zones, and a write is at a write pointer: "
                       "--offset_increment and --atomic do not go with it");
    if (p->mode[0] || (ops && (!ops->needs_target || ops->action)))
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd is about a zoned device: --mode and engines without one do "
                       "not go with it");
    if (!p->direct)
        return err_set(e, ERR_USAGE,
                       "--zonemode zbd needs --direct 1: out of the page cache writes come in no "
                       "order");
    if (p->write_share > 0)
        return check_writes(p, e);
    if (p->max_open_zones || p->zone_reset_threshold > 0 || p->zone_reset_frequency > 0)
        return err_set(e, ERR_USAGE,
                       "--max_open_zones and --zone_reset_... are about writes, and this workload "
                       "only reads");
    return 0;
}
