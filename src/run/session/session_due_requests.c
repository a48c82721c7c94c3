/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests with due times: their sources, and whether the target keeps up with them. */
#include "base/units.h"
#include "run/loop/clock_skew.h"
#include "run/loop/request_source.h"
#include "run/loop/timed_loop.h"
#include "run/replay/fidelity.h"
#include "run/result/never_issued.h"
#include "run/session/running.h"

/* A request that is issued later than this after its due time had to wait for others. */
#define LATE_NS 10000000u
/* A request that was due for less than this at the end of a round was about to be issued. */
#define ON_ITS_WAY_NS 100000u

struct sources {
    struct generators *generators[PLAN_JOBS_MAX]; /* one for each worker */
    struct arena memory;                          /* of the generators */
};

static struct sources *sources_of(const struct session *s)
{
    return s->own[SESSION_PART_SOURCE];
}

int session_make_sources(struct session *s, struct err *e)
{
    struct sources *own = sources_of(s);
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
                       s->contents.plan.replay.speed);
        struct replay_targets targets = {.sizes = &s->region,
                                         .count = 1,
                                         .block = s->target.logical_block,
                                         .first_processor = s->first_processor};
        return replay_start(s->replay, &targets, s->arranged.jobs, &observer, e);
    }
    /* Worker i generates the requests of jobs i, i + workers, ... */
    struct generators_setup setup = {.spec = &s->workload,
                                     .region = s->region,
                                     .increment = plan_region_begin(&s->contents.plan, 1),
                                     .seed = s->contents.plan.seed,
                                     .copies = s->contents.plan.jobs,
                                     .step = s->arranged.jobs};
    size_t bytes = 0;
    for (setup.first = 0; setup.first < s->arranged.jobs; setup.first++)
        bytes += generators_bytes(&setup) + ARENA_ALIGNMENT;
    if (arena_init(&own->memory, bytes, e))
        return -1;
    for (setup.first = 0; setup.first < s->arranged.jobs; setup.first++)
        if (generators_init(&own->generators[setup.first], &setup, &own->memory, e))
            return -1;
    return 0;
}

static struct request_source source_of_worker(void *session, unsigned worker)
{
    struct session *s = session;
    return s->replay ? replay_source(s->replay, worker)
                     : generator_source(sources_of(s)->generators[worker]);
}

static void set_up(struct session *s, struct group_setup *setup)
{
    setup->source = plan_is_timed(&s->contents.plan) ? source_of_worker : NULL;
    setup->source_context = s;
}

static void end(struct session *s)
{
    if (s->replay)
        replay_close(s->replay);
    s->replay = NULL;
    arena_free(&sources_of(s)->memory);
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

/* ---- facts ---- */

/* Records how the timed loops waited: sums, and maxima over the workers. */
static void settings_of_waiting(struct session *s)
{
    struct timed_statistics sum = {0};
    char spin[UNITS_BUFFER], wake[UNITS_BUFFER];
    for (unsigned i = 0; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        sum.sleeps += w->sleeps;
        sum.late_wakes += w->late_wakes;
        sum.spun_ns += w->spun_ns;
        sum.slept_ns += w->slept_ns;
        sum.taken += w->taken;
        if (w->taken_max_ns > sum.taken_max_ns)
            sum.taken_max_ns = w->taken_max_ns;
        if (w->pre_spin_ns > sum.pre_spin_ns)
            sum.pre_spin_ns = w->pre_spin_ns;
        if (w->wake_p99_ns > sum.wake_p99_ns)
            sum.wake_p99_ns = w->wake_p99_ns;
    }
    double total = (double)(sum.spun_ns + sum.slept_ns);
    if (s->contents.plan.spin == SPIN_AUTO)
        session_setting(s, "timing", "waiting",
                        "sleep, then spin for the last %s (99 %% of wake-ups within %s)",
                        format_time(spin, sizeof spin, (double)sum.pre_spin_ns),
                        format_time(wake, sizeof wake, (double)sum.wake_p99_ns));
    else
        session_setting(s, "timing", "waiting",
                        s->contents.plan.spin == SPIN_ALWAYS ? "spin" : "sleep");
    if (sum.sleeps)
        session_setting(s, "timing", "late wake-ups", "%llu of %llu",
                        (unsigned long long)sum.late_wakes, (unsigned long long)sum.sleeps);
    if (total > 0)
        session_setting(s, "timing", "time spinning", "%.0f %%", 100 * (double)sum.spun_ns / total);
    if (sum.taken)
        session_setting(s, "timing", "processor taken",
                        "%llu times while spinning, for %s at the longest",
                        (unsigned long long)sum.taken,
                        format_time(spin, sizeof spin, (double)sum.taken_max_ns));
}

static void note_replay(void *context, bool warning, const char *words)
{
    struct session *s = context;
    contents_note(&s->contents, warning, "%s", words);
}

/* Records how requests with due times were issued. */
static void settings_of_timing(struct session *s)
{
    struct timing_totals *timing = &s->contents.timing;
    if (!s->group_started || !plan_is_timed(&s->contents.plan))
        return;
    settings_of_waiting(s);
    int64_t max_skew = 0;
    uint64_t within = 0;
    bool known = s->group.count > 1; /* the skew of every worker's processor is known */
    for (unsigned i = 1; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        int64_t skew = w->skew_ns < 0 ? -w->skew_ns : w->skew_ns;
        known &= w->skew_within_ns != SKEW_UNKNOWN;
        max_skew = skew > max_skew ? skew : max_skew;
        within = w->skew_within_ns > within ? w->skew_within_ns : within;
    }
    if (known)
        session_setting(s, "timing", "skew of processors' clocks",
                        "at most %lld ns, known to within %llu ns", (long long)max_skew,
                        (unsigned long long)within);
    if (s->replay) {
        const struct replay_counts *n = replay_counts(s->replay);
        const struct trace *trace = replay_trace(s->replay);
        timing->requests = n->taken;
        timing->split = n->split;
        session_setting(s, "timing", "trace", "%s, %llu events", trace_format_name(trace),
                        (unsigned long long)n->events);
        session_setting(s, "timing", "requests made of it", "%llu", (unsigned long long)n->taken);
        for (size_t i = 0; i < trace_note_count(trace); i++)
            session_setting(s, "timing", i ? "" : "the trace says", "%s", trace_note(trace, i));
        replay_describe(s->replay, note_replay, s);
    }
    if (timing->no_slot_ns > 1000000)
        contents_note(&s->contents, true,
                      "for %.3g s requests were due while all of --iodepth %u were in flight",
                      (double)timing->no_slot_ns * 1e-9, s->contents.plan.iodepth);
}

const struct session_part part_source = {.bytes = sizeof(struct sources),
                                         .set_up = set_up,
                                         .on[ON_REPORT] = settings_of_timing,
                                         .of_workers = true,
                                         .end = end};
