/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the option, rules, checks and description of atomic writes (--atomic). */
#include <stdio.h>

#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_atomic[] = {
    {FIELD(SWITCH, atomic), OPTION(WORKLOAD, "atomic", "0|1"), .value = "0",
     .help = "Writes that the device does whole or not at all (RWF_ATOMIC): of one size, a power of two within what it can, "
             "with --direct 1 and sync or uring. With --verify a block of writes that overlap has to hold one of them, whole."},
    {0},
};

const struct option_rule plan_rules_atomic[] = {
    NEEDS("atomic", "@writes", ONLY_READS),
    NEEDS("atomic", "direct=1", "the page cache splits writes"),
    EXCLUDES("atomic", "bssplit profile @traced", "atomic writes have one size"),
    {0},
};
/* clang-format on */

int plan_check_atomic(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (!p->atomic)
        return 0;
    if (ops && !ops->writes_atomically)
        return err_set(e, ERR_USAGE,
                       "--atomic 1 asks the kernel for atomic writes, and --ioengine %s does not: "
                       "use sync or uring",
                       p->engine);
    return p->block_size & (p->block_size - 1) || p->offset % p->block_size
               ? err_set(e, ERR_USAGE,
                         "--atomic 1: --bs %u is no power of two, or --offset no multiple of it",
                         p->block_size)
               : 0;
}

void plan_words_atomic(const struct plan *p, char *to, size_t size)
{
    if (p->atomic)
        snprintf(to, size, ", atomic");
}
