/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out whether the target supports commands that are sent as writes (--write_mode), and
   reports their effects. */
#include "run/session/running.h"

static int check(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct request_kinds kinds = plan_request_kinds(plan);
    for (unsigned i = 0; i < kinds.count && kinds.by_command; i++)
        if (!session_has_command(s, kinds.kind[i].command))
            return err_set(e, ERR_MACHINE, "%s: --write_mode %s: it has no command %s%s",
                           s->target.path, plan->write_modes,
                           request_row_of(kinds.kind[i].command)->title,
                           s->ops->needs_namespace ? " (ONCS)" : "");
    return 0;
}

static void after(struct session *s)
{
    const struct request_kinds kinds = plan_request_kinds(&s->contents.plan);
    for (unsigned i = 0; i < kinds.count; i++)
        if (kinds.kind[i].command == REQUEST_WRITE_UNCORRECTABLE)
            contents_note(&s->contents, true,
                          "blocks were marked by Write Uncorrectable: reading them fails until "
                          "they are written again");
}

const struct session_part part_write_modes = {.prepare[AT_TARGET] = check, .after = after};
