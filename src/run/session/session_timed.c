/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests with due times: their sources, and whether the target keeps up with them. */
#include "run/loop/request_source.h"
#include "run/loop/timed_loop.h"
#include "run/replay/fidelity.h"
#include "run/result/due_requests.h"
#include "run/session/internal.h"

/* A request that is issued later than this had to wait for others. */
#define LATE_NS 10000000u
/* A request that was due for less than this at the end of a round was about to be issued. */
#define ON_ITS_WAY_NS 100000u

int session_make_sources(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const bool falls_due =
        plan->rate_iops > 0 || plan->phases[0] || plan->profile[0] || plan_is_replay(plan);
    if (s->ops->serial && falls_due)
        contents_note(&s->contents, true,
                      "%s does one I/O at a time: what falls due meanwhile is late; uring is not",
                      s->ops->name);
    if (s->replay) {
        struct replay_observer observer = {fidelity_event, s->contents.fidelity};
        fidelity_begin(s->contents.fidelity, (uint64_t)(SESSION_PASS_SLICE_SECONDS * 1e9), 0,
                       s->contents.plan.speed);
        struct replay_targets targets = {.sizes = &s->region,
                                         .count = 1,
                                         .block = s->target.logical_block,
                                         .first_processor = s->first_processor};
        return replay_start(s->replay, &targets, s->arranged.jobs, &observer, e);
    }
    /* Worker i generates the requests of jobs i, i + workers, ... */
    struct generators_setup setup = {.spec = &s->workload,
                                     .region = s->region,
                                     .increment = s->contents.plan.offset_increment,
                                     .seed = s->contents.plan.seed,
                                     .copies = s->contents.plan.jobs,
                                     .step = s->arranged.jobs};
    size_t bytes = 0;
    for (setup.first = 0; setup.first < s->arranged.jobs; setup.first++)
        bytes += generators_bytes(&setup) + ARENA_ALIGNMENT;
    if (arena_init(&s->generator_memory, bytes, e))
        return -1;
    for (setup.first = 0; setup.first < s->arranged.jobs; setup.first++)
        if (generators_init(&s->generators[setup.first], &setup, &s->generator_memory, e))
            return -1;
    return 0;
}

struct request_source session_source(void *session, unsigned worker)
{
    struct session *s = session;
    return s->replay ? replay_source(s->replay, worker) : generator_source(s->generators[worker]);
}

/* Returns the smallest lateness of the slices [begin, end) in which something was issued; 0: there
   are none. */
static uint64_t min_late(const struct measurement *m, size_t begin, size_t end)
{
    uint64_t smallest = UINT64_MAX;
    for (size_t i = begin; i < end; i++)
        if (m->timings[i].issued && m->timings[i].late_max_ns < smallest)
            smallest = m->timings[i].late_max_ns;
    return smallest == UINT64_MAX ? 0 : smallest;
}

/*
 * Compares the lateness in the last two quarters of the round that ended. A stall makes requests
 * late only for a time; if the target does not keep up, each request is later than the one before.
 */
static bool lateness_grew(const struct measurement *m, double round_seconds)
{
    double wanted = round_seconds / measurement_slice_seconds(m);
    size_t n = wanted < (double)m->slice_count ? (size_t)wanted : m->slice_count;
    if (n < 8)
        return false;
    size_t end = m->slice_count, quarter = n / 4;
    uint64_t before = min_late(m, end - 2 * quarter, end - quarter);
    return before > LATE_NS && min_late(m, end - quarter, end) > before;
}

/* Adds the requests of the ended round that were never issued to those of earlier rounds. */
static void add_never_issued(struct session *s, double round_seconds, uint64_t waited)
{
    const struct plan *plan = &s->contents.plan;
    struct timing_totals *t = &s->contents.timing;
    if (!waited)
        return;
    if (t->end_backlog_at_least)
        waited = (uint64_t)due_backlog(plan, &s->workload.phases, (double)waited, round_seconds,
                                       (double)t->end_late_ns);
    t->never_issued += waited;
    t->never_issued_at_least |=
        t->end_backlog_at_least && !(plan->rate_iops > 0) && !s->workload.phases.count;
}

void session_take_timing(struct session *s, double round_seconds, bool trial)
{
    struct timing_totals *t = &s->contents.timing;
    t->end_backlog = t->end_late_ns = 0;
    t->end_backlog_at_least = false;
    uint64_t no_slot_ns = 0, waited = 0;
    for (unsigned i = 0; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        t->end_backlog += w->end_backlog;
        t->end_backlog_at_least |= w->end_backlog_at_least;
        if (!w->end_late_ns || w->end_late_ns > ON_ITS_WAY_NS)
            waited += w->end_backlog;
        no_slot_ns += w->no_slot_ns;
        if (w->end_late_ns > t->end_late_ns)
            t->end_late_ns = w->end_late_ns;
    }
    t->no_slot_ns = s->group.count ? no_slot_ns / s->group.count : 0;
    if (!trial)
        add_never_issued(s, round_seconds, waited);
    t->saturated = lateness_grew(&s->contents.measurement, round_seconds);
}
