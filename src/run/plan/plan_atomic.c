/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Atomic writes (--atomic): checks of combinations, and description. */
#include <stdio.h>

#include "io/io.h"
#include "run/plan/internal.h"

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
