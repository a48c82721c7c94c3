/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of priorities with each other, with an engine and with the page cache. */
#include "io/io.h"
#include "run/plan/plan.h"

/*
 * Returns true if options about requests with a priority are given, but there are no such requests.
 */
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
