/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a plan: each value against the limits of its option's row, then the combinations that
   depend on numbers or on the engine. plan_rule_rows.c has the rules about which options need or
   exclude each other. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/io.h"
#include "run/plan/internal.h"
#include "run/plan/option_rule_check.h"
#include "run/plan/plan_iozone_mode.h"

/* Every buffer of every job is locked memory. A plan that needs more than this is taken for a
   typing error. */
#define BUFFERS_MAX (4ull << 30)

/* Checks the size of a block, and of the buffers for all requests in flight. */
static int check_blocks(const struct plan *p, struct err *e)
{
    enum { DIRECT_ALIGNMENT = 512 };
    char size[UNITS_BUFFER];
    if (p->direct && p->block_size % DIRECT_ALIGNMENT)
        return err_set(e, ERR_USAGE,
                       "--bs %u: with --direct 1 a block is a multiple of %d bytes; choose another "
                       "size or --direct 0",
                       p->block_size, DIRECT_ALIGNMENT);
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

/* Checks requests that move no bytes, to which options about the addresses of bytes do not apply.
 */
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

/* Returns the value of a field as a number. The field must be of a kind that has limits. */
static double field_number(const struct plan *p, const struct option_row *field)
{
    const void *at = (const char *)p + field->offset;
    if (field->kind != OPTION_UNSIGNED && field->kind != OPTION_SIZE)
        return *(const double *)at;
    return field->width == sizeof(uint32_t) ? *(const uint32_t *)at : (double)*(const uint64_t *)at;
}

static int refuse_value(const struct plan *p, const struct option_row *field, struct err *e)
{
    enum { DIGITS = 6, DIGITS_OF_WHOLE = 20 };
    const char *limits = field->limits;
    if (limits && !strncmp(limits, "--", 2))
        return err_set(e, ERR_USAGE, "%s", limits);
    bool is_whole = field->kind == OPTION_UNSIGNED || field->kind == OPTION_SIZE;
    char possible[80];
    if (!limits)
        snprintf(possible, sizeof possible, "%g to %g are possible", field->min, field->max);
    return err_set(e, ERR_USAGE, "--%s %.*g: %s", field->name, is_whole ? DIGITS_OF_WHOLE : DIGITS,
                   field_number(p, field), limits ? limits : possible);
}

/* Checks single values. This matters for plans from records, which no option parser has checked. */
static int check_values(const struct plan *p, struct err *e)
{
    for (const struct option_row *field = plan_fields(); field->key; field++) {
        bool is_wider = field->kept_min < field->kept_max;
        double min = is_wider ? field->kept_min : field->min;
        double max = is_wider ? field->kept_max : field->max;
        if (min < max && !(field_number(p, field) >= min && field_number(p, field) <= max))
            return refuse_value(p, field, e);
    }
    const struct plan_repeat *repeat = &p->repeat;
    if (repeat->sessions == 1 ||
        (repeat->sessions ? repeat->index >= repeat->sessions : repeat->index > 0))
        return refuse_value(p, plan_field("repeat"), e);
    return 0;
}

static int (*const checks[])(const struct plan *p, struct err *e) = {
#define ROW(name) plan_check_##name,
    PLAN_CHECK_ROWS(ROW)
#undef ROW
};

int plan_check(const struct plan *p, struct err *e)
{
    if (check_values(p, e) || plan_check_rules(p, e) || check_action(p, e) || check_blocks(p, e) ||
        check_engine(p, e))
        return -1;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i](p, e))
            return -1;
    if (p->pattern == PATTERN_SEQUENTIAL && p->random_share > 0)
        return err_set(e, ERR_USAGE,
                       "--percentage_random: a sequential plan has no share of random requests");
    return 0;
}
