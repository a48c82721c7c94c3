/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the options, rules and checks for reading back written data (--verify). */
#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_verify[] = {
    {FIELD(FLAG, verify), OPTION(DATA, "verify", NULL),
     .help = "Writes carry a stamp in each sector, and after the measurement all that was written is read "
             "back: what is corrupt, torn, stale or misdirected is reported with its LBAs, exit status 4. "
             "docs/verify.md has what it costs. A section of a job file that only reads, with verify, reads back "
             "what earlier ones wrote."},
    {FIELD(SWITCH, do_verify), OPTION(DATA, "do_verify", "0|1"), .value = "1",
     .help = "With --verify: 0 stamps what is written and leaves the reading to a later section of a job file."},
    {0},
};

const struct option_rule plan_rules_verify[] = {
    NEEDS("do_verify", "verify", "it leaves the reading to a later section"),
    EXCLUDES("verify", "@shapes-data", "stamps fill all data, and look like noise"),
    EXCLUDES("verify", "mode", "a mode makes files of its own and rewrites them: use --rw"),
    EXCLUDES("verify", "repeat find-rate", "what is read back was written by one session"),
    EXCLUDES("verify", "@traced", "a replay writes no stamps"),
    {0},
};
/* clang-format on */

enum { SECTOR_MIN = 512 };

/* Refuses engines that write nothing that could be read back. */
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
