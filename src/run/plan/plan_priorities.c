/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priorities of requests (--prioclass, --cmdprio_percentage and the like): options, rules and
 * checks. */
#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_priorities[] = {
    {FIELD_AS(CHOICE, priority_class, priority.all_class), OPTION(TIMING, "prioclass", "CLASS"), .value = "none",
     .section = "Priorities of requests",
     .choices = OPTION_CHOICES({"none", PRIORITY_NONE}, {"rt", PRIORITY_RT}, {"be", PRIORITY_BE},
                               {"idle", PRIORITY_IDLE}),
     .help = "Class of all requests, as ionice has it: rt before be before idle, for I/O schedulers and disks "
             "that act on it. rt needs root or CAP_SYS_NICE. For threads of cupel's own alone."},
    {FIELD_AS(CHOICE, priority_level, priority.all_level), OPTION(TIMING, "prio", "LEVEL"), .value = "none",
     .choices = OPTION_CHOICES({"none", 0}, {"0", 1}, {"1", 2}, {"2", 3}, {"3", 4}, {"4", 5}, {"5", 6},
                               {"6", 7}, {"7", 8}),
     .help = "Level within the class, 0 is the highest; without --prioclass that of be."},
    {FIELD_AS(UNSIGNED, priority_hint, priority.all_hint), OPTION(TIMING, "priohint", "N"), LIMITS(0, PRIORITY_HINT_MAX),
     .value_words = "none", .help = "Hint to the device: the command duration limit of that number, 1 to 7."},
    {FIELD_AS(TEXT, prioritised, priority.some), OPTION(TIMING, "cmdprio_percentage", "PERCENT"), .value_words = "none",
     .help = "So many percent of the requests, drawn at random, have the priority of the next three; after a "
             "comma those of writes: 20,0. Latencies of both kinds stand apart in the report, and what the "
             "priority changed, with its interval. Needs --direct 1 and uring."},
    {FIELD_AS(CHOICE, prioritised_class, priority.some_class), OPTION(TIMING, "cmdprio_class", "CLASS"), .value = "rt",
     .choices = OPTION_CHOICES({"rt", PRIORITY_RT}, {"be", PRIORITY_BE}, {"idle", PRIORITY_IDLE}),
     .help = "Class of these."},
    {FIELD_AS(UNSIGNED, prioritised_level, priority.some_level), OPTION(TIMING, "cmdprio", "LEVEL"), LIMITS(0, PRIORITY_LEVEL_MAX),
     .value = "0", .help = "Level of these."},
    {FIELD_AS(UNSIGNED, prioritised_hint, priority.some_hint), OPTION(TIMING, "cmdprio_hint", "N"), LIMITS(0, PRIORITY_HINT_MAX),
     .value_words = "none", .help = "Hint of these."},
    {FIELD_AS(TEXT, priorities, priority.by_size), OPTION(TIMING, "cmdprio_bssplit", "LIST"), .value_words = "none",
     .help = "Shares by size: SIZE/PERCENT, or SIZE/PERCENT/CLASS/LEVEL[/HINT], joined by colons, as in "
             "64k/25/rt/0:64k/75/idle/0; SIZE may be any; after a comma those of writes."},
    {FIELD(TEXT, kinds)},
    {0},
};

const struct option_rule plan_rules_priorities[] = {
    ONE_OF("cmdprio_percentage cmdprio_bssplit", "one is about all sizes, the other about each"),
    NEEDS("cmdprio cmdprio_class cmdprio_hint", "cmdprio_percentage cmdprio_bssplit", "it is the priority of the requests that "
          "these choose"),
    EXCLUDES("profile", "cmdprio_percentage cmdprio_bssplit", "a profile has priorities of its own (its key priorities)"),
    NEEDS("@priorities", "direct=1", "requests through the page cache have no priority of their own"),
    {0},
};
/* clang-format on */

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
