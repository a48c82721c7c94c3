/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations of priorities, and of commands that are sent as writes, with each other, with an
   engine and with the page cache. */
#include <string.h>

#include "generator/workload_spec_text.h"
#include "io/io.h"
#include "run/plan/plan.h"

/* What is said of requests with a priority, and there are none. */
static bool has_nothing_to_say_of(const struct plan *p)
{
    return p->prioritised_class != PRIORITY_RT || p->prioritised_level || p->prioritised_hint;
}

static int check_combination(const struct plan *p, struct err *e)
{
    if (p->prioritised[0] && p->priorities[0])
        return err_set(e, ERR_USAGE,
                       "--cmdprio_percentage is of all sizes and --cmdprio_bssplit of each: leave "
                       "one of them out");
    if (!p->prioritised[0] && !p->priorities[0] && has_nothing_to_say_of(p))
        return err_set(e, ERR_USAGE,
                       "--cmdprio, --cmdprio_class and --cmdprio_hint are of the requests that "
                       "--cmdprio_percentage or --cmdprio_bssplit says");
    if (p->profile[0] && (p->prioritised[0] || p->priorities[0]))
        return err_set(e, ERR_USAGE,
                       "--profile has priorities of its own (its key priorities): "
                       "--cmdprio_percentage and --cmdprio_bssplit do not go with it");
    struct priority_kinds kinds;
    return priority_kinds_read(&kinds, p->kinds, e);
}

int plan_check_priorities(const struct plan *p, struct err *e)
{
    const bool of_all = plan_priority(p), of_some = plan_has_kinds(p) && !p->write_modes[0];
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (check_combination(p, e))
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
    if (of_some && !p->direct)
        return err_set(e, ERR_USAGE,
                       "requests through the page cache have no priority of their own: leave "
                       "--direct 0 out");
    if (of_all && !p->direct && p->write_share > 0)
        return err_set(e, ERR_USAGE,
                       "--prio, --prioclass and --priohint do not reach what the kernel writes "
                       "back from the page cache later: leave --direct 0 out");
    return 0;
}

int plan_check_write_modes(const struct plan *p, struct err *e)
{
    struct stream_spec stream;
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    const bool moves_data = strstr(p->write_modes, "write") != NULL;
    if (!p->write_modes[0])
        return 0;
    if (write_modes_parse(p->write_modes, &stream, e))
        return err_context(e, "--write_mode %s", p->write_modes);
    if (!ops || !ops->needs_namespace)
        return err_set(e, ERR_USAGE,
                       "--write_mode %s: these are commands of NVMe: name one of its engines, "
                       "nvme-uring or nvme",
                       p->write_modes);
    if (p->write_share <= 0 || p->trims != TRIMS_NONE || plan_is_replay(p) || p->profile[0] ||
        p->mode[0] || p->zones)
        return err_set(e, ERR_USAGE,
                       "--write_mode goes with --rw write, randwrite, rw and randrw only, without "
                       "profile, trace, --mode and --zonemode");
    if (p->verify || (plan_shapes_data(p) && !moves_data))
        return err_set(e, ERR_USAGE, "--write_mode %s: %s does not go with it", p->write_modes,
                       p->verify ? "--verify" : "what shapes the data of writes");
    return 0;
}
