/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flushes among the writes (--fsync, --fdatasync) and synchronous writes (--sync): options, rules,
   checks and descriptions. */
#include <stdio.h>

#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_flush[] = {
    {FIELD(UNSIGNED, fsync), OPTION(WORKLOAD, "fsync", "N"), LIMITS(1, 1000000000),
     KEPT(0, 1000000000), .value_words = "none",
     .help = "After every N writes of a job its next request is an fsync (NVMe engines: a flush), "
             "which is measured as an operation of its own, sync. With --iodepth 1 it comes after "
             "its writes are done; with more it waits for none of those in flight."},
    {FIELD(UNSIGNED, fdatasync), OPTION(WORKLOAD, "fdatasync", "N"), LIMITS(1, 1000000000),
     KEPT(0, 1000000000), .value_words = "none",
     .help = "The same with fdatasync, which leaves metadata alone that reading the data does not "
             "need. --rw write --bs 2300 --direct 0 --fdatasync 1 is what a log of etcd does."},
    {FIELD(CHOICE, sync), OPTION(WORKLOAD, "sync", "KIND"), .value = "none",
     .choices = OPTION_CHOICES({"none", SYNC_NONE}, {"sync", SYNC_ALL}, {"dsync", SYNC_DATA}),
     .help = "Open for writes that are on the medium when they are done: O_SYNC, or O_DSYNC without "
             "metadata that reading does not need."},
    {0},
};

const struct option_rule plan_rules_flush[] = {
    ONE_OF("fsync fdatasync", "they are two kinds of the same flush"),
    EXCLUDES("fsync fdatasync", TIMED, "flushes follow the writes of a closed loop of one stream and size"),
    NEEDS("fsync fdatasync sync", "@writes", ONLY_READS),
    {0},
};
/* clang-format on */

static const char *flush_name(const struct plan *p)
{
    return p->fsync ? "fsync" : "fdatasync";
}

static int check_every(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    const char *name = flush_name(p);
    const uint32_t every = plan_flush_every(p);
    if (!every)
        return 0;
    if (ops && ops->connects)
        return err_set(e, ERR_USAGE, "--%s %u is about a disk: over the network nothing is flushed",
                       name, every);
    if (p->iopoll == 1 && !(ops && ops->bypasses_block_layer))
        return err_set(e, ERR_USAGE, "--%s %u: a flush cannot be polled for: leave --iopoll out",
                       name, every);
    return 0;
}

static int check_sync(const struct plan *p, const struct io_ops *ops, struct err *e)
{
    if (p->sync != SYNC_NONE && ops && (!ops->needs_target || ops->bypasses_block_layer))
        return err_set(e, ERR_USAGE,
                       "--sync %s is how a file or block device is opened, and --ioengine %s opens "
                       "none: use sync or uring",
                       p->sync == SYNC_ALL ? "sync" : "dsync", p->engine);
    return 0;
}

int plan_check_flush(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    return check_every(p, ops, e) || check_sync(p, ops, e) ? -1 : 0;
}

void plan_words_sync(const struct plan *p, char *to, size_t size)
{
    if (p->sync != SYNC_NONE)
        snprintf(to, size, ", %s", p->sync == SYNC_ALL ? "O_SYNC" : "O_DSYNC");
}

void plan_words_flush(const struct plan *p, char *to, size_t size)
{
    const uint32_t every = plan_flush_every(p);
    if (every == 1)
        snprintf(to, size, ", %s after each write", flush_name(p));
    else if (every)
        snprintf(to, size, ", %s after %u writes", flush_name(p), every);
}
