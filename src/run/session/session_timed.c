/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is particular to a session whose requests have due times: where they come from, whether the
 * target keeps up, and passes that are measured once from begin to end.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "generator/workload_spec_text.h"
#include "replay/fidelity.h"
#include "run/loop/clock_skew.h"
#include "run/loop/request_source.h"
#include "run/loop/timed_loop.h"
#include "run/session/internal.h"

#define PASS_SLICE_SECONDS 0.01
#define TRACE_NOTES_TOLD   4
/* Whoever is issued later than this has waited for others. */
#define LATE_NS 10000000u

static int make_generators(struct session *s, struct err *e)
{
    struct generators_setup setup = {.spec = &s->workload,
                                     .region = s->region,
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

int session_make_sources(struct session *s, struct err *e)
{
    if (s->ops->serial)
        contents_note(&s->contents, true,
                      "%s does one I/O at a time: what falls due meanwhile is late; uring is not",
                      s->ops->name);
    if (!s->replay)
        return make_generators(s, e);
    struct replay_observer observer = {fidelity_event, s->contents.fidelity};
    fidelity_begin(s->contents.fidelity, (uint64_t)(PASS_SLICE_SECONDS * 1e9), 0,
                   s->contents.plan.speed);
    struct replay_targets targets = {
        .sizes = &s->region, .count = 1, .block = s->target.logical_block};
    return replay_start(s->replay, &targets, s->arranged.jobs, &observer, e);
}

struct request_source session_source(void *session, unsigned worker)
{
    struct session *s = session;
    return s->replay ? replay_source(s->replay, worker) : generator_source(s->generators[worker]);
}

/* The least lateness of slices [begin, end) in which something was issued; 0: there is none. */
static uint64_t min_late(const struct measurement *m, size_t begin, size_t end)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = begin; i < end; i++)
        if (m->timings[i].issued && m->timings[i].late_max_ns < least)
            least = m->timings[i].late_max_ns;
    return least == UINT64_MAX ? 0 : least;
}

/* A stall makes requests late and then none; a target that does not keep up makes each later than
   the one before. Of the round that ended: its last quarter against the one before. */
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

void session_take_timing(struct session *s, double round_seconds)
{
    struct timing_totals *t = &s->contents.timing;
    t->end_backlog = t->end_late_ns = 0;
    t->end_backlog_at_least = false;
    uint64_t no_slot_ns = 0;
    for (unsigned i = 0; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        t->end_backlog += w->end_backlog;
        t->end_backlog_at_least |= w->end_backlog_at_least;
        no_slot_ns += w->no_slot_ns;
        if (w->end_late_ns > t->end_late_ns)
            t->end_late_ns = w->end_late_ns;
    }
    t->no_slot_ns = s->group.count ? no_slot_ns / s->group.count : 0;
    t->saturated = lateness_grew(&s->contents.measurement, round_seconds);
}

static double pass_seconds(const struct session *s)
{
    double left = s->contents.plan.limit_seconds - session_seconds(s);
    if (s->replay)
        return left;
    double length = (double)phases_length(&s->workload.phases) * 1e-9;
    return length < left ? length : left;
}

/* Did it get to the end of what was to be done? */
static bool was_whole(const struct session *s, double seconds)
{
    if (s->replay)
        return replay_counts(s->replay)->ended;
    return seconds >= (double)phases_length(&s->workload.phases) * 1e-9;
}

double session_pass_done(const struct session *s, double elapsed_seconds)
{
    if (s->replay)
        return replay_done_share(s->replay);
    double share = elapsed_seconds / ((double)phases_length(&s->workload.phases) * 1e-9);
    return share < 1 ? share : 1;
}

void session_measure_pass(struct session *s)
{
    struct contents *c = &s->contents;
    c->measurement.slice_seconds = PASS_SLICE_SECONDS;
    record_slice_length(&s->record, PASS_SLICE_SECONDS);
    session_watch_begin(s);

    struct round_outcome outcome = {0};
    double seconds = pass_seconds(s);
    bool has_time = seconds >= PASS_SLICE_SECONDS; /* the preparation may have used it up */
    bool went_on = has_time && session_round(s, false, seconds, PASS_SLICE_SECONDS, &outcome);
    s->progress.done_share = NAN;
    if (s->replay) {
        replay_stop(s->replay); /* after a signal it is still ahead, and tells fidelity events */
        fidelity_end(c->fidelity, (uint64_t)(outcome.seconds * 1e9));
    }
    if (!has_time)
        c->verdict = VERDICT_LIMIT;
    if (!went_on)
        return;
    s->progress.rounds++;
    if (outcome.suspensions) {
        c->verdict = VERDICT_SUSPENDED;
        return;
    }
    c->verdict = was_whole(s, seconds) ? VERDICT_COMPLETE : VERDICT_LIMIT;
    const struct slice *total = &outcome.total;
    if (c->verdict == VERDICT_COMPLETE && !total->op[IO_READ].ios && !total->op[IO_WRITE].ios) {
        c->verdict = VERDICT_FAILED;
        snprintf(c->failure, sizeof c->failure, "no request was issued: there is nothing to tell");
    }
    const struct err *trouble = s->replay ? replay_error(s->replay) : NULL;
    if (trouble && trouble->code) {
        c->verdict = VERDICT_FAILED;
        snprintf(c->failure, sizeof c->failure, "%.230s", trouble->msg);
    }
}

static void setting(struct session *s, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void setting(struct session *s, const char *key, const char *format, ...)
{
    char value[sizeof((struct fact *)0)->value];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    facts_add(&s->contents.settings, "timing", key, value, "", "", FACT_OK);
}

/* How the loops waited: of the worker that slept and spun the most. */
static void tell_waiting(struct session *s)
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
        setting(s, "waiting", "sleep, then spin for the last %s (99 %% of wake-ups within %s)",
                format_time(spin, sizeof spin, (double)sum.pre_spin_ns),
                format_time(wake, sizeof wake, (double)sum.wake_p99_ns));
    else
        setting(s, "waiting", s->contents.plan.spin == SPIN_ALWAYS ? "spin" : "sleep");
    if (sum.sleeps)
        setting(s, "late wake-ups", "%llu of %llu", (unsigned long long)sum.late_wakes,
                (unsigned long long)sum.sleeps);
    if (total > 0)
        setting(s, "time spinning", "%.0f %%", 100 * (double)sum.spun_ns / total);
    if (sum.taken)
        setting(s, "processor taken", "%llu times while spinning, for %s at the longest",
                (unsigned long long)sum.taken,
                format_time(spin, sizeof spin, (double)sum.taken_max_ns));
}

static void tell_clocks(struct session *s)
{
    int64_t most = 0;
    uint64_t within = 0;
    for (unsigned i = 1; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        int64_t skew = w->skew_ns < 0 ? -w->skew_ns : w->skew_ns;
        most = skew > most ? skew : most;
        if (w->skew_within_ns == SKEW_UNKNOWN)
            return;
        within = w->skew_within_ns > within ? w->skew_within_ns : within;
    }
    if (s->group.count > 1)
        setting(s, "skew of processors' clocks", "at most %lld ns, known to within %llu ns",
                (long long)most, (unsigned long long)within);
}

static void say(void *context, bool warning, const char *words)
{
    struct session *s = context;
    contents_note(&s->contents, warning, "%s", words);
}

static void tell_replay(struct session *s)
{
    const struct replay_counts *n = replay_counts(s->replay);
    s->contents.timing.requests = n->taken;
    s->contents.timing.split = n->split;
    setting(s, "trace", "%s, %llu events", trace_format_name(replay_trace(s->replay)),
            (unsigned long long)n->events);
    setting(s, "requests made of it", "%llu", (unsigned long long)n->taken);
    const struct trace *trace = replay_trace(s->replay);
    for (size_t i = 0; i < trace_note_count(trace) && i < TRACE_NOTES_TOLD; i++)
        setting(s, i ? "" : "the trace says", "%s", trace_note(trace, i));
    replay_tell(s->replay, say, s);
}

void session_timing_settings(struct session *s)
{
    if (!plan_is_timed(&s->contents.plan) || !s->group_started)
        return;
    tell_waiting(s);
    tell_clocks(s);
    if (s->replay)
        tell_replay(s);
    if (s->contents.timing.no_slot_ns > 1000000)
        contents_note(&s->contents, true,
                      "for %.3g s requests were due while all of --iodepth %u were in flight",
                      (double)s->contents.timing.no_slot_ns * 1e-9, s->contents.plan.iodepth);
}
