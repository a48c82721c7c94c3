/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations that depend on numbers and engines; each option alone is valid. plan_rules.c
   has the rules between single options. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/io.h"
#include "run/plan/internal.h"
#include "run/plan/option_rule.h"
#include "run/plan/plan_mode.h"

/* Every buffer of every job is locked memory: a plan that needs more is a typing error. */
#define BUFFERS_MAX (4ull << 30)

enum { DIRECT_ALIGNMENT = 512 };

static int check_region(const struct plan *p, struct err *e)
{
    char block[UNITS_BUFFER], size[UNITS_BUFFER];
    format_size(block, sizeof block, p->block_size);
    if (p->direct && p->block_size % DIRECT_ALIGNMENT)
        return err_set(e, ERR_USAGE,
                       "--bs %u: with --direct 1 a block is a multiple of %d bytes; choose another "
                       "size or --direct 0",
                       p->block_size, DIRECT_ALIGNMENT);
    if (p->direct && p->offset % DIRECT_ALIGNMENT)
        return err_set(
            e, ERR_USAGE,
            "--offset %llu: with --direct 1 it is a multiple of %d bytes; choose another "
            "offset or --direct 0",
            (unsigned long long)p->offset, DIRECT_ALIGNMENT);
    if (p->offset_increment && p->direct && p->offset_increment % DIRECT_ALIGNMENT)
        return err_set(e, ERR_USAGE,
                       "--offset_increment %llu: with --direct 1 it is a multiple of %d bytes",
                       (unsigned long long)p->offset_increment, DIRECT_ALIGNMENT);
    if (p->offset_increment > UINT64_MAX / 1024 / PLAN_JOBS_MAX)
        return err_set(e, ERR_USAGE, "--offset_increment reaches beyond the largest possible file");
    if (p->size && p->size < p->block_size && !plan_is_replay(p) && !plan_action(p))
        return err_set(e, ERR_USAGE, "--size %s is smaller than one block of %s (--bs)",
                       format_size(size, sizeof size, (double)p->size), block);
    if (p->size > UINT64_MAX >> (REQUEST_OPERATION_BITS + 1) ||
        p->offset > UINT64_MAX >> (REQUEST_OPERATION_BITS + 1))
        return err_set(e, ERR_USAGE, "--offset and --size reach beyond the largest possible file");
    uint64_t buffers = (uint64_t)p->block_size * p->iodepth * p->jobs;
    if (buffers > BUFFERS_MAX)
        return err_set(e, ERR_USAGE,
                       "--bs x --iodepth x --numjobs makes %s of buffers; 4 GiB are possible",
                       format_size(size, sizeof size, (double)buffers));
    return 0;
}

static int check_engine(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (ops && ops->serial && !ops->parallel && p->iodepth > 1)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s has one %s at a time, not --iodepth %u: use --numjobs %u",
                       p->engine, ops->action ? ops->action->name : "call", p->iodepth, p->iodepth);
    if (ops && ops->serial && p->iodepth > 1)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s has one I/O at a time, not --iodepth %u; use --ioengine "
                       "%s, or --numjobs %u with --iodepth 1",
                       p->engine, p->iodepth, ops->parallel, p->iodepth);
    if (p->batch > p->iodepth)
        return err_set(
            e, ERR_USAGE,
            "--iodepth_batch_complete_min %u: there are only %u I/Os in flight (--iodepth)",
            p->batch, p->iodepth);
    if (ops && ops->bypasses_block_layer && !p->direct)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s goes past the page cache, and --direct 0 through it: leave "
                       "one of them out",
                       p->engine);
    if (ops && ops->buffers_itself && p->direct)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s has a buffer of the C library's, which is not aligned as "
                       "O_DIRECT needs it: it works with --direct 0 only",
                       p->engine);
    if (ops && ops->length_max && p->block_size > ops->length_max)
        return err_set(e, ERR_USAGE, "--ioengine %s has requests of up to %u MiB, and --bs is %u",
                       p->engine, ops->length_max >> 20, p->block_size);
    if (p->script[0] && !(ops && ops->takes_script))
        return err_set(e, ERR_USAGE, "--null-script needs --ioengine null, not %s", p->engine);
    bool can_poll = !ops || (ops->can_poll && !(ops->connects && p->sqpoll == 1));
    if (!can_poll && (p->sqpoll == 1 || p->iopoll == 1))
        return err_set(e, ERR_USAGE, "--%s on needs --ioengine uring or nvme-uring, not %s",
                       p->sqpoll == 1 ? "sqpoll" : "iopoll", p->engine);
    for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX && p->cpus_given; cpu++)
        if (plan_mask_has(p->cpus, cpu) && plan_mask_has(p->sqpoll_cpus, cpu))
            return err_set(e, ERR_USAGE,
                           "--sqthread_poll_cpu %u: --cpus has workers there, which would keep the "
                           "kernel's thread from it: name another one",
                           cpu);
    return 0;
}

/* Checks requests that move no bytes: options about the place of bytes do not apply to them. */
static int check_action(const struct plan *p, struct err *e)
{
    const struct io_action *action = plan_action(p);
    if (!action)
        return 0;
    if (p->size && !action->sized)
        return err_set(e, ERR_USAGE, "--ioengine %s: what it makes is empty, without --size",
                       p->engine);
    if (p->direct || p->offset || (p->write_share > 0) != action->writes ||
        p->block_size != PLAN_ACTION_BYTES)
        return err_set(e, ERR_USAGE, "a plan of %ss has no offsets, blocks or direct I/O",
                       action->name);
    return 0;
}

static int (*const checks[])(const struct plan *p, struct err *e) = {
#define ROW(name) plan_check_##name,
    PLAN_CHECK_ROWS(ROW)
#undef ROW
};

int plan_check_together(const struct plan *p, struct err *e)
{
    if (plan_check_rules(p, e) || check_action(p, e) || check_region(p, e) || check_engine(p, e))
        return -1;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i](p, e))
            return -1;
    if (p->pattern == PATTERN_SEQUENTIAL && p->random_share > 0)
        return err_set(e, ERR_USAGE,
                       "--percentage_random: a sequential plan has no share of random requests");
    return 0;
}
