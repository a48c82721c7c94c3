/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that are sent as writes (--write_mode): whether the namespace supports them, and their
   effects. */
#include "io/nvme/nvme_io.h"
#include "run/loop/worker.h"
#include "run/session/running.h"
#include "source/generator/write_mode.h"

static const char *const commands[WRITE_MODES] = {[WRITE_MODE_ZEROES] = "Write Zeroes",
                                                  [WRITE_MODE_UNCOR] = "Write Uncorrectable",
                                                  [WRITE_MODE_VERIFY] = "Verify",
                                                  [WRITE_MODE_WRITE] = "Write"};

static int check(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct priority_kinds kinds = plan_request_kinds(plan);
    for (unsigned i = 0; i < kinds.count && plan->write_modes[0]; i++) {
        const enum write_mode mode = write_mode_of(kinds.kind[i].value);
        if (mode < WRITE_MODES && !nvme_has_command(&s->target.nvme, worker_write_op(mode)))
            return err_set(e, ERR_MACHINE,
                           "%s: --write_mode %s: its controller has no command %s (ONCS)",
                           s->target.path, plan->write_modes, commands[mode]);
    }
    return 0;
}

static void after(struct session *s)
{
    const struct priority_kinds kinds = plan_request_kinds(&s->contents.plan);
    for (unsigned i = 0; i < kinds.count; i++)
        if (write_mode_of(kinds.kind[i].value) == WRITE_MODE_UNCOR)
            contents_note(&s->contents, true,
                          "blocks were marked by Write Uncorrectable: reading them fails until "
                          "they are written again");
}

const struct session_part part_write_modes = {.prepare[AT_TARGET] = check, .after = after};
