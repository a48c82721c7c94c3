/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the writes of a session back (--verify), after everything has been measured. */
#include <math.h>

#include "base/units.h"
#include "run/session/memory_need.h"
#include "run/session/running.h"
#include "run/verify/verify_reads.h"

static void show_reading(void *session, double share)
{
    session_show_share(session, "reading back what was written", share);
}

static int check_memory(const struct session *s, uint64_t bytes, struct err *e)
{
    char need[UNITS_BUFFER], have[UNITS_BUFFER];
    const struct memory_room room = memory_room_find("");
    if (bytes <= room.bytes)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "%s: --verify keeps 4 bytes for each block that may be written, %s in all, and "
                   "%s are there (%s): measure a part of it (--size), or with larger blocks (--bs)",
                   s->target.path, format_size(need, sizeof need, (double)bytes),
                   format_size(have, sizeof have, (double)room.bytes), room.limit);
}

static struct verify *verify_of(const struct session *s)
{
    return s->own[SESSION_PART_VERIFY];
}

static int expect_written(struct session *s, struct err *e)
{
    verify_of(s)->contents = &s->contents;
    verify_of(s)->before = s->before;
    return verify_expect_written(verify_of(s), e);
}

static int prepare(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct verify *v = verify_of(s);
    v->target = &s->target;
    v->ops = s->ops;
    v->clock = &s->clock;
    v->arena = &s->arena;
    v->region = s->region;
    v->block = plan_is_timed(plan) && !plan_is_replay(plan)
                   ? workload_spec_granularity(&s->workload)
                   : plan->block_size;
    v->stop = s->stop;
    v->show = show_reading;
    v->context = s;
    return check_memory(s, verify_bytes(v), e) || verify_prepare(v, e) ? -1 : 0;
}

/* Requires that no other program may write the target, because the writes are read back. */
static void ask(const struct session *s, struct target_request *request)
{
    request->shared &= !s->contents.plan.verify;
}

static const char *why_once(const struct session *s)
{
    return s->contents.plan.verify ? "what it writes would have no stamps" : NULL;
}

static void set_up(struct session *s, struct group_setup *setup)
{
    setup->ledger = s->contents.plan.write_share > 0 ? verify_of(s)->ledger : NULL;
}

/* Reads the writes back. */
static void after(struct session *s)
{
    if (!verify_of(s)->ledger)
        return;
    if (!s->stuck)
        group_forget_waiting(&s->group);
    verify_read_back(verify_of(s), s->stuck);
    s->progress.done_share = NAN;
}

static void end(struct session *s)
{
    verify_free(verify_of(s));
}

const struct session_part part_verify = {
    .bytes = sizeof(struct verify),
    .prepare = {[AT_PLAN] = expect_written, [AT_MACHINE] = prepare},
    .ask = ask,
    .set_up = set_up,
    .why_once = why_once,
    .of_workers = true,
    .after = after,
    .stuck = after,
    .end = end};
