/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks fields of a plan that exclude or need each other, although each is valid alone. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/io.h"
#include "run/plan/plan.h"
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
    if (p->offset_increment && (p->mode[0] || plan_action(p)))
        return err_set(e, ERR_USAGE,
                       "--offset_increment parts one file or device among the jobs: --mode and "
                       "--ioengine %s do not go with it",
                       p->engine);
    if (p->offset_increment > UINT64_MAX / 1024 / PLAN_JOBS_MAX)
        return err_set(e, ERR_USAGE, "--offset_increment reaches beyond the largest possible file");
    if (p->size && p->size < p->block_size && !plan_is_replay(p) && !plan_action(p))
        return err_set(e, ERR_USAGE, "--size %s is smaller than one block of %s (--bs)",
                       format_size(size, sizeof size, (double)p->size), block);
    if (p->size > UINT64_MAX >> (IO_OP_BITS + 1) || p->offset > UINT64_MAX >> (IO_OP_BITS + 1))
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
    if (ops && ops->bypasses_block_layer && !p->direct)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s goes past the page cache, and --direct 0 through it: leave "
                       "one of them out",
                       p->engine);
    if (ops && ops->buffers_itself && p->direct)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s has a buffer of the C library's, which is not aligned as "
                       "O_DIRECT needs it: it goes with --direct 0 only",
                       p->engine);
    if (ops && ops->length_max && p->block_size > ops->length_max)
        return err_set(e, ERR_USAGE, "--ioengine %s has requests of up to %u MiB, and --bs is %u",
                       p->engine, ops->length_max >> 20, p->block_size);
    if (p->script[0] && !(ops && ops->takes_script))
        return err_set(e, ERR_USAGE, "--null-script goes with --ioengine null only, not with %s",
                       p->engine);
    bool can_poll = !ops || (ops->can_poll && !(ops->connects && p->sqpoll == 1));
    if (!can_poll && (p->sqpoll == 1 || p->iopoll == 1))
        return err_set(e, ERR_USAGE,
                       "--%s on goes with --ioengine uring and nvme-uring only, not with %s",
                       p->sqpoll == 1 ? "sqpoll" : "iopoll", p->engine);
    if (p->sqpoll != 1 && !plan_mask_is_empty(p->sqpoll_cpus))
        return err_set(e, ERR_USAGE, "--sqthread_poll_cpu goes with --sqpoll on only");
    for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX && p->cpus_given; cpu++)
        if (plan_mask_has(p->cpus, cpu) && plan_mask_has(p->sqpoll_cpus, cpu))
            return err_set(e, ERR_USAGE,
                           "--sqthread_poll_cpu %u: --cpus has workers there, which would keep the "
                           "kernel's thread from it: name another one",
                           cpu);
    if (p->iopoll == 1 && !p->direct)
        return err_set(e, ERR_USAGE, "--iopoll on needs --direct 1: the page cache is not polled");
    return 0;
}

static int check_timing(const struct plan *p, struct err *e)
{
    bool open = p->rate_iops > 0 || p->phases[0];
    if (!plan_is_timed(p) || plan_is_replay(p))
        return 0;
    if (p->rate_iops > 0 && p->phases[0])
        return err_set(e, ERR_USAGE, "--phases has the rates: --rate_iops does not go with it");
    if (p->think[0] && open)
        return err_set(e, ERR_USAGE,
                       "--thinktime waits for completions, --rate_iops and --phases do not: leave "
                       "one of them out");
    if (p->profile[0] && (p->think[0] || p->address[0] || p->sizes[0]))
        return err_set(e, ERR_USAGE,
                       "--profile has addresses, sizes and think times of its own: "
                       "--random_distribution, several sizes and think times do not go with it");
    if (p->address[0] && p->pattern != PATTERN_RANDOM)
        return err_set(
            e, ERR_USAGE,
            "--random_distribution goes with --rw randread, randwrite, randrw and randtrim only");
    if (p->address[0] && p->random_share < 1)
        return err_set(e, ERR_USAGE,
                       "--random_distribution and --percentage_random do not go together");
    return 0;
}

/* Checks requests that move no bytes: options about the place of bytes do not apply to them. */
static int check_action(const struct plan *p, struct err *e)
{
    const struct io_action *action = plan_action(p);
    if (!action)
        return 0;
    if (plan_is_timed(p) || p->find_rate[0] || plan_is_replay(p))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s prepares its files before each pass, which requests with due "
                       "times do not wait for: --rate_iops, --phases, --thinktime, --find-rate, "
                       "--profile and the like do not go with it",
                       p->engine);
    if (p->mode[0])
        return err_set(e, ERR_USAGE, "--mode %s is about reads and writes, not about %ss", p->mode,
                       action->name);
    if (p->completions[0])
        return err_set(e, ERR_USAGE, "--trace is of reads and writes, not of %ss", action->name);
    if (p->size && !action->sized)
        return err_set(e, ERR_USAGE, "--ioengine %s: what it makes is empty, without --size",
                       p->engine);
    if (plan_flush_every(p) || p->sync != SYNC_NONE || plan_shapes_data(p))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s is about %ss, which move no bytes: nothing is flushed or "
                       "written synchronously, and there are no data to shape",
                       p->engine, action->name);
    if (p->direct || p->offset || (p->write_share > 0) != action->writes ||
        p->block_size != PLAN_ACTION_BYTES)
        return err_set(e, ERR_USAGE, "a plan of %ss has no offsets, blocks or direct I/O",
                       action->name);
    return 0;
}

int plan_check_together(const struct plan *p, struct err *e)
{
    if (check_action(p, e) || check_region(p, e) || check_engine(p, e) || check_timing(p, e) ||
        plan_check_priorities(p, e) || plan_check_write_modes(p, e) || plan_check_ending(p, e) ||
        plan_check_mode(p, e) || plan_check_data(p, e) || plan_check_verify(p, e) ||
        plan_check_atomic(p, e) || plan_check_nodes(p, e) || plan_check_flush(p, e) ||
        plan_check_zones(p, e) || plan_check_trims(p, e) || plan_check_without_data(p, e))
        return -1;
    if (p->strict_bottleneck && p->monitor_cost <= 0)
        return err_set(e, ERR_USAGE,
                       "--strict-bottleneck has to watch: leave it or --monitor-cost 0 out");
    if (p->graph[0] && p->monitor_cost <= 0)
        return err_set(e, ERR_USAGE, "--graph has to watch: leave it or --monitor-cost 0 out");
    if (p->remote_target[0] && !p->remote[0])
        return err_set(e, ERR_USAGE, "--remote-target goes with --remote only");
    if (p->pattern == PATTERN_SEQUENTIAL && p->random_share > 0)
        return err_set(
            e, ERR_USAGE,
            "--percentage_random goes with randread, randwrite, randrw and randtrim only");
    return 0;
}
