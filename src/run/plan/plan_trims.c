/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trims (--rw trim, randtrim, trimwrite, randtrimwrite, --num_range): option, rules, and checks
   with the engine and other values. */
#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_trims[] = {
    {FIELD(UNSIGNED, num_range), OPTION(WORKLOAD, "num_range", "N"), LIMITS(1, IO_RANGES_MAX), .value = "1",
     .help = "Ranges of --bs that one trim covers: those of one Dataset Management command, with the NVMe "
             "engines."},
    {0},
};

const struct option_rule plan_rules_trims[] = {
    NEEDS("num_range", "@trims-alone", "it is about trims of several ranges"),
    EXCLUDES("num_range", "trace", "an event of a trace has one range"),
    EXCLUDES("@trims", "mode", "a mode says itself which requests there are"),
    EXCLUDES("@trims", "zonemode", "zones are reset instead"),
    EXCLUDES("@trims", "atomic", "only writes are atomic"),
    EXCLUDES("@trims", "verify", "what was trimmed reads as anything"),
    EXCLUDES("@trims", "iopoll=on", "a trim cannot be polled for"),
    EXCLUDES("@trims", "cmdprio_percentage cmdprio_bssplit", "these priorities are those of reads and writes"),
    EXCLUDES("@trims-before-writes", TIMED, "a write follows its trim at once, in a closed loop of one size"),
    EXCLUDES("@trims-alone", "fsync fdatasync sync @shapes-data", "a workload that only trims writes no data: use --rw "
             "trimwrite or randtrimwrite"),
    {0},
};
/* clang-format on */

static int check_ranges(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    if (p->num_range <= 1)
        return 0;
    if (!ops || !ops->trims_ranges)
        return err_set(e, ERR_USAGE,
                       "--num_range %u: one command with several ranges is an NVMe one: "
                       "the engines nvme-uring and nvme have it",
                       p->num_range);
    if (plan_is_timed(p) && p->pattern == PATTERN_RANDOM)
        return err_set(e, ERR_USAGE,
                       "--num_range %u: ranges at random places have one size and no due times: "
                       "rates, phases, think times, several sizes and --random_distribution go "
                       "with --rw trim",
                       p->num_range);
    if ((uint64_t)p->block_size * p->num_range > UINT32_MAX)
        return err_set(e, ERR_USAGE, "--bs x --num_range: a trim covers 4 GiB at most");
    return 0;
}

int plan_check_trims(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    const char *name = plan_pattern_name(p);
    if (p->trims == TRIMS_NONE)
        return check_ranges(p, ops, e);
    if (p->trims == TRIMS_OF_TRACE)
        return !ops || ops->trims ? 0
                                  : err_set(e, ERR_USAGE,
                                            "the trace has discards, and --ioengine %s has none: "
                                            "--skip-discards leaves them out",
                                            p->engine);
    if (!(p->write_share >= 1) || plan_is_replay(p) || p->profile[0] || p->filament)
        return err_set(e, ERR_USAGE, "trims are those of --rw trim, trimwrite and the like alone");
    if (ops && !ops->trims)
        return err_set(
            e, ERR_USAGE,
            "--rw %s: --ioengine %s has no trims: use sync, uring, nvme, nvme-uring or sg", name,
            p->engine);
    return check_ranges(p, ops, e);
}

int plan_check_without_data(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (ops && ops->resizes && (p->write_share < 1 || p->trims != TRIMS_NONE))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s sets the size of a file to the offset of each write: use "
                       "--rw write or --rw randwrite",
                       p->engine);
    return 0;
}
