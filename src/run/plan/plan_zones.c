/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the options and rules of zoned devices (--zonemode zbd), and their checks with the engine
   and the depth. */
#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_zones[] = {
    {FIELD_AS(CHOICE, zones, zones.on), OPTION(ZONES, "zonemode", "NAME"), .value = "none",
     .section = "Zoned devices",
     .choices = OPTION_CHOICES({"none", 0}, {"zbd", 1}),
     .help = "zbd keeps the rules of a zoned device: writes go to write pointers, in sequence zone after "
             "zone or at random to one of the open zones, a full zone is reset before it is written again, "
             "and reads go to what is written."},
    {FIELD_AS(SIZE, zone_size, zones.size), OPTION(ZONES, "zonesize", "SIZE"), .value_words = "as the device says",
     .help = "Refuse the device when its zones have another size."},
    {FIELD_AS(UNSIGNED, max_open_zones, zones.open_max), OPTION(ZONES, "max_open_zones", "N"), LIMITS(0, 1000000),
     .value_words = "the device's limit", .help = "Zones that are written to at a time, by all jobs."},
    {FIELD_AS(SHARE, zone_reset_threshold, zones.reset_threshold), OPTION(ZONES, "zone_reset_threshold", "SHARE"), LIMITS(0, 1),
     .value_words = "full zones alone are reset",
     .help = "When more than this share of the region is written, zones are reset as "
             "--zone_reset_frequency says, before they are full."},
    {FIELD_AS(SHARE, zone_reset_frequency, zones.reset_frequency), OPTION(ZONES, "zone_reset_frequency", "SHARE"), LIMITS(0, 1),
     .value_words = "none", .help = "Share of the writes above the threshold that reset their zone first: 0.125 "
             "is every eighth."},
    {FIELD_AS(SWITCH, read_beyond_wp, zones.read_beyond_wp), OPTION(ZONES, "read_beyond_wp", "0|1"), .value = "0",
     .help = "Read what is not written as well, which is faster than any medium."},
    {0},
};

const struct option_rule plan_rules_zones[] = {
    NEEDS("zonesize max_open_zones zone_reset_threshold zone_reset_frequency read_beyond_wp", "zonemode=zbd",
          "it is about the zones of a zoned device"),
    NEEDS("max_open_zones zone_reset_threshold zone_reset_frequency", "@writes", ONLY_READS),
    NEEDS("zone_reset_threshold", "zone_reset_frequency", "one says when zones are reset early, the other how often"),
    NEEDS("zone_reset_frequency", "zone_reset_threshold", "one says how often zones are reset early, the other when"),
    NEEDS("zonemode", "direct=1", "out of the page cache writes come in no order"),
    EXCLUDES("zonemode", TIMED, "zones are written and read by a closed loop of one size"),
    EXCLUDES("zonemode", "verify", "zones are reset, and then hold nothing that could be read back"),
    EXCLUDES("zonemode", "offset_increment atomic", "jobs share the zones, and a write goes to a write pointer"),
    EXCLUDES("zonemode", "mode", "a mode is about a file"),
    {0},
};
/* clang-format on */

int plan_check_zones(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (!p->zones.on)
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
