/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the target supports atomic writes (--atomic). */
#include "io/device/block_device.h"
#include "run/session/running.h"

/* Checks that the target can do writes of this size atomically. */
static int check_atomic(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    uint32_t least, most;
    if (!plan->atomic)
        return 0;
    if (atomic_write_sizes(s->target.fd, &least, &most, e))
        return err_context(e, "%.200s: --atomic 1", s->target.path);
    return plan->block_size >= least && plan->block_size <= most
               ? 0
               : err_set(e, ERR_USAGE,
                         "%s: --atomic 1: its atomic writes have %u to %u bytes, and --bs is %u",
                         s->target.path, least, most, plan->block_size);
}

static void ask_backend(const struct session *s, struct io_setup *setup)
{
    setup->block_layer |= s->contents.plan.atomic;
}

const struct session_part part_atomic = {.prepare[AT_TARGET] = check_atomic,
                                         .ask_backend = ask_backend};
