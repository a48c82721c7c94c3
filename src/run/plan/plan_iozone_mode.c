/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the modes of a plan, and sets the fields that a mode decides. */
#include "run/plan/plan_iozone_mode.h"

#include <stdio.h>
#include <string.h>

#include "run/plan/internal.h"

/* clang-format off */
const struct option_rule plan_rules_mode[] = {
    EXCLUDES("mode", TIMED, "a mode has requests of one size, one after the other"),
    {0},
};
/* clang-format on */

const struct plan_mode *plan_mode_of(const struct plan *p)
{
#define MODE(...) {__VA_ARGS__},
    static const struct plan_mode modes[] = {PLAN_MODE_ROWS(MODE)};
#undef MODE
    for (size_t i = 0; p->mode[0] && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(modes[i].name, p->mode))
            return &modes[i];
    return NULL;
}

void plan_take_mode(struct plan *p, struct mode_given given)
{
    const struct plan_mode *mode = plan_mode_of(p);
    if (!mode)
        return;
    p->pattern = mode->pattern;
    p->random_share = mode->pattern == PATTERN_RANDOM ? 1 : 0;
    const unsigned writers = p->jobs / 2; /* every second job writes, the first one reads */
    p->write_share = mode->requests == MODE_WRITES   ? 1
                     : mode->requests == MODE_BY_JOB ? (double)writers / p->jobs
                                                     : 0;
    /* The mode's usual backend does one request at a time. For more in flight, `auto` finds
       another. */
    if (!given.engine && (mode->engine_is_it || p->iodepth == 1))
        snprintf(p->engine, sizeof p->engine, "%s", mode->engine);
    const struct io_ops *ops = io_backend_by_name(p->engine);
    if (!given.direct && ops && ops->buffers_itself)
        p->direct = false;
}

void plan_take_action(struct plan *p)
{
    const struct io_action *action = plan_action(p);
    if (!action)
        return;
    p->pattern = PATTERN_SEQUENTIAL;
    p->random_share = 0;
    p->write_share = action->writes ? 1 : 0;
    p->block_size = PLAN_ACTION_BYTES;
    p->direct = false;
}

double plan_write_share_of_job(const struct plan *p, unsigned job)
{
    const struct plan_mode *mode = plan_mode_of(p);
    return mode && mode->requests == MODE_BY_JOB ? job % 2 : p->write_share;
}

enum io_pass plan_pass(const struct plan *p)
{
    const struct plan_mode *mode = plan_mode_of(p);
    if (mode && mode->file == MODE_NEW_FILE)
        return IO_PASS_NEW_FILE;
    return mode && mode->file == MODE_UNCACHED && !p->direct ? IO_PASS_UNCACHED : IO_PASS_AS_IT_IS;
}

int plan_check_mode(const struct plan *p, struct err *e)
{
    const struct plan_mode *mode = plan_mode_of(p);
    const struct io_ops *ops = io_backend_by_name(p->engine);
    if (!mode)
        return p->pattern <= PATTERN_RANDOM
                   ? 0
                   : err_set(e, ERR_USAGE,
                             "this pattern belongs to a --mode, and no --mode is given");
    if (mode->engine_is_it && ops && strcmp(p->engine, mode->engine) != 0)
        return err_set(e, ERR_USAGE, "--mode %s is about %s, not about --ioengine %s", p->mode,
                       mode->engine, p->engine);
    if (plan_pass(p) != IO_PASS_AS_IT_IS && !(ops && (ops->begins_passes || !ops->needs_target)))
        return err_set(e, ERR_USAGE,
                       "--mode %s%s prepares the file before each pass over it, which --ioengine "
                       "%s cannot: use --ioengine %s, with one I/O at a time",
                       p->mode, p->direct ? "" : " with --direct 0", p->engine, mode->engine);
    if (mode->file == MODE_NEW_FILE && p->offset)
        return err_set(e, ERR_USAGE, "--mode %s writes a new file from its begin, without --offset",
                       p->mode);
    return 0;
}
