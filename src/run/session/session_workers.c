/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of a session: how many, with what each of them, and where they run. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/loop/placement.h"
#include "run/plan/plan_mode.h"
#include "run/session/running.h"

/* Several ranks on a host take consecutive processors. If they must share them, a rank that spins
   with real-time priority would leave none to the others. */
static void keep_off_other_ranks(struct session *s, unsigned processors)
{
    const struct launcher *rank = s->start ? &s->start->launcher : NULL;
    const unsigned jobs = s->arranged.jobs;
    if (!rank)
        return;
    s->first_processor = rank->local_rank > 0 ? (unsigned)rank->local_rank * jobs : 0;
    s->shares_processors = processors >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN) &&
                           (uint64_t)rank->local_max * jobs > processors;
    s->arranged.realtime &= !s->shares_processors;
}

int session_arrange(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct plan *arranged = &s->arranged;
    bool timed = plan_is_timed(plan);
    /*
     * Requests with due times need a thread that is awake when they are due; with more jobs than
     * processors, threads would hinder each other. If the backend can have many requests in flight,
     * one thread then does the work of several jobs.
     */
    *arranged = *plan;
    if (session_use_nodes(arranged, e))
        return -1;
    unsigned processors = placement_processors(arranged);
    if (s->meeting) /* the members share the processors */
        processors = (processors + (unsigned)s->meeting->count - 1) / (unsigned)s->meeting->count;
    if (timed && !s->ops->serial && plan->jobs > processors) {
        unsigned iodepth = plan->iodepth * ((plan->jobs + processors - 1) / processors);
        arranged->jobs = processors;
        arranged->iodepth = iodepth < IO_DEPTH_MAX ? iodepth : IO_DEPTH_MAX;
    }
    keep_off_other_ranks(s, processors);
    /* Calls that never wait for a device do not leave the processor to another job. */
    if (s->ops->action && plan->jobs > processors) {
        s->shares_processors = true;
        arranged->realtime = false;
    }
    return 0;
}

static int start_group(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct plan *arranged = &s->arranged;
    bool timed = plan_is_timed(plan);
    session_show(s, "starting workers");
    session_place(s);
    session_bind_memory(s);
    if (timed && session_make_sources(s, e))
        return -1;
    struct group_setup setup = {.plan = arranged,
                                .ops = s->ops,
                                .clock = &s->clock,
                                .fd = s->target.fd,
                                .pass = s->target.fd < 0 ? IO_PASS_AS_IT_IS : plan_pass(plan),
                                .direct = s->target.direct,
                                .block_device = s->target.kind == TARGET_BLOCK_DEVICE,
                                .nvme = &s->target.nvme,
                                .heartbeat = &s->heartbeat,
                                .region = s->region,
                                .sqpoll = s->sqpoll,
                                .iopoll = s->iopoll,
                                .first_processor = s->first_processor};
    session_parts_set_up(s, &setup);
    if (heartbeat_start(&s->heartbeat, &s->clock, e) || group_init(&s->group, &setup, &s->arena, e))
        return -1;
    /* Worker i does the work of jobs i, i + workers, ... */
    for (unsigned i = 0; timed && i < s->group.count; i++) {
        unsigned jobs = (plan->jobs - i + s->group.count - 1) / s->group.count;
        unsigned in_flight = plan->iodepth * jobs;
        s->group.workers[i].in_flight_max =
            in_flight < arranged->iodepth ? in_flight : arranged->iodepth;
    }
    session_use_local_memory(s);
    if (group_start(&s->group, e))
        return -1;
    s->group_started = true; /* from here on the workers must be stopped before their memory is
                                freed */
    if (!plan->filament && !placement_lock_memory()) /* the memory would stay locked in the
                                                        calling program */
        contents_note(&s->contents, false,
                      "memory could not be locked in place (see ulimit -l): a page fault may add "
                      "to a latency");
    return 0;
}

static void stop_group(struct session *s)
{
    if (s->group_started)
        group_stop(&s->group);
}

static void end(struct session *s)
{
    stop_group(s);
    heartbeat_stop(&s->heartbeat);
}

/* ---- facts ---- */

static void settings_of_workers(struct session *s)
{
    const struct worker *w = s->group.workers;
    char cpus[120] = "";
    size_t used = 0;
    for (unsigned i = 0; i < s->group.count && used + 8 < sizeof cpus; i++)
        used += (size_t)snprintf(cpus + used, sizeof cpus - used, "%s%d", i ? "," : "", w[i].cpu);
    session_setting(s, "workers", "workers", "%u", s->group.count);
    session_setting(s, "workers", "pinned to CPU", "%s", cpus);
    session_settings_of_nodes(s);
    session_settings_of_policy(s);
    session_setting(s, "workers", "seed", "%llu", (unsigned long long)s->contents.plan.seed);
    if (w[0].placement_note[0])
        contents_note(&s->contents, true, "%s", w[0].placement_note);
}

const struct session_part part_workers = {.prepare[AT_BEGIN] = start_group,
                                          .on[ON_START] = settings_of_workers,
                                          .of_workers = true,
                                          .after = stop_group,
                                          .end = end};
