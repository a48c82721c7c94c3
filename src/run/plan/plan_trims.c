/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of trims (--rw trim, randtrim, trimwrite, randtrimwrite, --num_range) with
   other options. */
#include "io/io.h"
#include "run/plan/plan.h"

static int check_ranges(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    if (p->num_range <= 1)
        return 0;
    if (p->trims != TRIMS_ALONE)
        return err_set(e, ERR_USAGE,
                       "--num_range %u is about trims of several ranges: it goes with --rw trim "
                       "and --rw randtrim only",
                       p->num_range);
    if (!ops || !ops->trims_ranges)
        return err_set(e, ERR_USAGE,
                       "--num_range %u: one command with several ranges is an NVMe one: "
                       "the engines nvme-uring and nvme have it",
                       p->num_range);
    if (p->completions[0])
        return err_set(e, ERR_USAGE,
                       "--trace: an event has one range, and --num_range %u makes trims of several",
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

/* Refuses options about the data of writes if there are no writes. */
static int check_no_data(const struct plan *p, struct err *e)
{
    const struct {
        bool given;
        const char *option;
    } rows[] = {
        {plan_flush_every(p) > 0, p->fsync ? "--fsync" : "--fdatasync"},
        {p->sync != SYNC_NONE, "--sync"},
        {plan_shapes_data(p), "--buffer_pattern, --buffer_compress_percentage and the like"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return err_set(e, ERR_USAGE,
                           "%s: that is about writes, and this workload only trims: use --rw "
                           "trimwrite or randtrimwrite",
                           rows[i].option);
    return 0;
}

int plan_check_trims(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    const char *name = plan_pattern_name(p);
    if (p->trims == TRIMS_NONE)
        return check_ranges(p, ops, e);
    if (!(p->write_share >= 1) || plan_is_replay(p) || p->profile[0] || p->filament)
        return err_set(e, ERR_USAGE, "trims are those of --rw trim, trimwrite and the like alone");
    if (ops && !ops->trims)
        return err_set(e, ERR_USAGE,
                       "--rw %s: --ioengine %s has no trims: use sync, uring, nvme or nvme-uring",
                       name, p->engine);
    if (p->mode[0] || p->zones || p->atomic)
        return err_set(e, ERR_USAGE, "--rw %s: %s does not go with trims", name,
                       p->mode[0] ? "--mode"
                       : p->zones ? "--zonemode zbd, which resets zones instead,"
                                  : "--atomic");
    if (p->verify)
        return err_set(e, ERR_USAGE,
                       "--rw %s: what was trimmed reads as anything: --verify does not go with it",
                       name);
    if (p->iopoll == 1)
        return err_set(e, ERR_USAGE, "--rw %s: a trim cannot be polled for: leave --iopoll out",
                       name);
    if (p->prioritised[0] || p->priorities[0])
        return err_set(
            e, ERR_USAGE,
            "--rw %s: --cmdprio_percentage and --cmdprio_bssplit are of reads and writes", name);
    if (p->trims == TRIMS_BEFORE_WRITES && (plan_is_timed(p) || p->find_rate[0]))
        return err_set(e, ERR_USAGE,
                       "--rw %s: a write follows its trim at once, in a closed loop of one size: "
                       "rates, phases, think times, several sizes and --random_distribution do not "
                       "go with it",
                       name);
    return (p->trims == TRIMS_ALONE && check_no_data(p, e)) || check_ranges(p, ops, e) ? -1 : 0;
}

int plan_check_without_data(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (!io_is_without_data(ops))
        return 0;
    const struct {
        bool given;
        const char *words;
    } rows[] = {{p->mode[0], "--mode"},
                {p->verify, "--verify"},
                {p->zones, "--zonemode zbd"},
                {p->atomic, "--atomic"},
                {p->sync != SYNC_NONE, "--sync"},
                {plan_is_replay(p), "a trace"},
                {plan_shapes_data(p), "what shapes the data of writes"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return err_set(e, ERR_USAGE, "--ioengine %s moves no data: %s does not go with it",
                           p->engine, rows[i].words);
    if (ops->resizes && (p->write_share < 1 || p->trims != TRIMS_NONE))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s sets the size of a file to the offset of each write: use "
                       "--rw write or --rw randwrite",
                       p->engine);
    return 0;
}
