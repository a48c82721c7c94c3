/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rounds (Li et al., Pilot (2016), III-E): trial rounds to learn how fast the target is, then
 * measured rounds, each as long as the judgement so far says is still needed, until the stop rule
 * fires or something ends it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "run/loop/placement.h"
#include "run/session/internal.h"

/* Trial rounds: stored and shown, not used (paper: rounds shorter than the least length). */
static const double trial_seconds[] = {0.1, 0.4, 2.0};

#define TRIAL_SLICE_SECONDS 0.01
#define TRIAL_ENOUGH_IOS    50
/* Further ones for a target that may be slow only at first. */
#define LOOKS_MAX        4
#define LOOK_SHARE       0.1
#define LOOK_MAX_SECONDS 2.0
/* A time slice should hold some I/Os, so that counting whole ones adds little noise. */
#define SLICE_MIN_SECONDS 0.01
#define SLICE_MAX_SECONDS 2.0
#define SLICE_IOS         10.0
/* A worker that uses this much of its processor is one that spins. */
#define SPINNING_SHARE 0.9
/* Failed I/O above this share of a round is a failed target. */
#define FAILED_SHARE 0.01
/* Each further round adds between these shares of what was measured so far. */
#define GROWTH_MIN          0.25
#define GROWTH_MAX          1.0
#define REQUIRED_MARGIN     1.1
#define JUDGE_EVERY_SECONDS 1.0
#define FLUSH_EVERY_NS      1000000000u

static void on_batch(void *context, const struct batch *batch)
{
    struct session *s = context;
    measurement_add(&s->contents.measurement, batch);
    record_batch(&s->record, batch);
    uint64_t now = clock_ticks(&s->clock);
    if (clock_ns(&s->clock, now - s->flushed_ticks) >= FLUSH_EVERY_NS) {
        s->flushed_ticks = now;
        record_flush(&s->record);
    }
    uint64_t ios = 0;
    double seconds = batch->slice_count * s->contents.measurement.slice_seconds;
    for (unsigned i = 0; i < batch->slice_count; i++)
        for (int op = 0; op < IO_OPS; op++) {
            ios += batch->slices[i].op[op].ios;
            s->told_bytes[op] += batch->slices[i].op[op].bytes;
        }
    s->told_seconds += seconds;
    if (batch->slice_count)
        s->progress.rate = (double)ios / seconds;
}

static void update_progress(struct session *s)
{
    const struct judged *j = &s->judged;
    if (!j->any)
        return;
    s->progress.mean = j->rate.estimate.mean;
    s->progress.mean_is_time = plan_is_timed(&s->contents.plan);
    s->progress.width_share =
        (j->rate.estimate.high - j->rate.estimate.low) / fabs(j->rate.estimate.mean);
    double at_hand = (double)s->contents.measurement.slice_count;
    double left = (j->required_slices - at_hand) * j->slice_seconds;
    double least = s->contents.plan.minimum_seconds - at_hand * j->slice_seconds;
    s->progress.left_seconds = left > least ? left : least;
    if (s->progress.left_seconds < 0)
        s->progress.left_seconds = 0;
}

static void on_pause(void *context, double elapsed_seconds)
{
    struct session *s = context;
    session_watch_sample(s, true);
    if (!s->observer || !s->observer->progress)
        return;
    if (plan_is_one_pass(&s->contents.plan)) {
        s->progress.done_share = session_pass_done(s, elapsed_seconds);
        session_show(s, s->replay ? "replaying" : "going through the phases");
        return;
    }
    if (elapsed_seconds >= s->judge_next_seconds) {
        judge_rate(&s->contents, &s->judged);
        update_progress(s);
        s->judge_next_seconds = elapsed_seconds + JUDGE_EVERY_SECONDS;
    }
    char stage[32];
    snprintf(stage, sizeof stage, "round %u", s->progress.rounds + 1);
    session_show(s, stage);
}

static void on_pause_of_trial(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_show(context, "trial round");
}

static void on_suspension(void *context, const struct heartbeat_gap *gap)
{
    struct session *s = context;
    uint64_t since = gap->begin > s->began_ticks ? gap->begin - s->began_ticks : 0;
    const struct suspended suspended = {(double)clock_ns(&s->clock, since) * 1e-9, gap->seconds};
    contents_suspension(&s->contents, &suspended);
    record_suspension(&s->record, &suspended);
}

static void describe_failure(struct session *s, const struct err *error)
{
    struct contents *c = &s->contents;
    const struct worker *w = group_first_failure(&s->group);
    c->verdict = VERDICT_FAILED;
    if (error->code) {
        snprintf(c->failure, sizeof c->failure, "%.230s", error->msg);
        return;
    }
    if (!w)
        return;
    const char *verb = w->failure.op == IO_WRITE ? "write" : "read";
    char status[100];
    if (w->failure.error)
        snprintf(c->failure, sizeof c->failure, "%.60s: %s of %u bytes at byte %llu failed: %s%s",
                 s->target.path, verb, w->failure.asked, (unsigned long long)w->failure.offset,
                 strerror(w->failure.error), session_failure_status(w, status, sizeof status));
    else
        snprintf(c->failure, sizeof c->failure, "%.100s: %s at byte %llu moved %u of %u bytes",
                 s->target.path, verb, (unsigned long long)w->failure.offset, w->failure.moved,
                 w->failure.asked);
}

static uint64_t total_of(const struct slice *total, bool errors)
{
    uint64_t sum = 0;
    for (int op = 0; op < IO_OPS; op++)
        sum += errors ? total->op[op].errors : total->op[op].ios;
    return sum;
}

static bool has_failed(const struct group *g, const struct slice *total)
{
    uint64_t errors = total_of(total, true), ios = total_of(total, false);
    if ((double)errors > FAILED_SHARE * (double)(errors + ios))
        return true;
    for (unsigned i = 0; i < g->count; i++)
        if (g->workers[i].fatal)
            return true;
    return false;
}

bool session_round(struct session *s, bool trial, double seconds, double slice_seconds,
                   struct round_outcome *outcome)
{
    struct contents *c = &s->contents;
    struct err error = {0};
    if (measurement_begin_round(&c->measurement, trial, session_seconds(s), &error)) {
        c->verdict = VERDICT_LIMIT;
        return false;
    }
    struct round *round = &c->measurement.rounds[c->measurement.round_count - 1];
    record_begin_round(&s->record, round);
    if (!trial)
        session_watch_round(s);

    struct round_request request = {.seconds = seconds,
                                    .slice_seconds = slice_seconds,
                                    .recording = true,
                                    .one_pass = plan_is_one_pass(&c->plan),
                                    .stop = s->stop,
                                    .on_batch = trial ? NULL : on_batch,
                                    .on_pause = trial ? on_pause_of_trial : on_pause,
                                    .on_suspension = on_suspension,
                                    .context = s};
    if (!trial)
        device_watch_begin(&s->device_watch);
    int failed = group_run_round(&s->group, &request, outcome, &error);
    if (!trial && !outcome->stuck)
        device_watch_end(&s->device_watch,
                         (double)(outcome->total.op[IO_READ].bytes +
                                  outcome->total.op[IO_WRITE].bytes + outcome->void_bytes));
    s->in_measured_round = false;
    measurement_end_round(&c->measurement, outcome->seconds, &outcome->total);
    for (unsigned i = 0; !trial && i < s->group.count; i++)
        s->worker_cpu_seconds[i] += (double)s->group.workers[i].cpu_ns * 1e-9;
    s->worker_seconds += trial ? 0 : outcome->seconds;
    record_end_round(&s->record, round);
    record_flush(&s->record);
    s->stuck = outcome->stuck;
    s->overrun_seconds += outcome->overrun_seconds;
    if (plan_is_timed(&c->plan))
        session_take_timing(s, outcome->seconds);

    if (failed || has_failed(&s->group, &outcome->total)) {
        describe_failure(s, &error);
        return false;
    }
    if (session_stopped(s)) {
        c->verdict = VERDICT_INTERRUPTED;
        return false;
    }
    return true;
}

/* 1, 2 or 5 times a power of ten, not below x. */
static double round_up(double x)
{
    double power = pow(10, floor(log10(x)));
    static const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (x <= steps[i] * power * (1 + 1e-9))
            return steps[i] * power;
    return 10 * power;
}

static double slice_for_rate(double ios_per_second)
{
    if (ios_per_second <= SLICE_IOS / SLICE_MAX_SECONDS)
        return SLICE_MAX_SECONDS;
    double seconds = round_up(SLICE_IOS / ios_per_second);
    return seconds < SLICE_MIN_SECONDS ? SLICE_MIN_SECONDS : seconds;
}

/* See placement.h: real-time priority and a loop that never sleeps do not go together. A timed loop
   looks after that itself, for it can choose to sleep more. */
static void end_realtime_of_spinners(struct session *s, const struct round_outcome *outcome)
{
    if (s->group.workers[0].timed ||
        outcome->cpu_seconds < SPINNING_SHARE * outcome->seconds * s->group.count)
        return;
    for (unsigned i = 0; i < s->group.count; i++) {
        struct worker *w = &s->group.workers[i];
        if (w->realtime_granted)
            placement_end_realtime(w->thread);
        w->spins = true;
    }
}

/*
 * A target that is slow only at first would be measured in slices that are too long for it, and a
 * least number of them takes long. Before as much time is spent, a part of it goes into further
 * trial rounds, as long as they ask for shorter slices. False: the session is over.
 */
static bool look_for_a_faster_rate(struct session *s, double *rate)
{
    const struct plan *plan = &s->contents.plan;
    struct judge_config config = plan_judge_config(plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    for (int look = 0; look < LOOKS_MAX; look++) {
        double slice = slice_for_rate(*rate);
        double round = (double)stop_min_n(&rule) * slice;
        if (slice <= SLICE_MIN_SECONDS || round <= plan->minimum_seconds)
            return true;
        double seconds = fmin(LOOK_SHARE * fmin(round, plan->limit_seconds), LOOK_MAX_SECONDS);
        struct round_outcome outcome;
        if (!session_round(s, true, seconds, TRIAL_SLICE_SECONDS, &outcome))
            return false;
        *rate = s->progress.rate = (double)total_of(&outcome.total, false) / outcome.seconds;
        if (slice_for_rate(*rate) >= slice)
            return true;
    }
    return true;
}

/* Trial rounds. False: the session is over. */
static bool run_trials(struct session *s)
{
    double rate = 0;
    for (unsigned i = 0; i < sizeof trial_seconds / sizeof *trial_seconds; i++) {
        struct round_outcome outcome;
        do { /* one that was suspended tells no rate */
            if (!session_round(s, true, trial_seconds[i], TRIAL_SLICE_SECONDS, &outcome))
                return false;
        } while (outcome.suspensions);
        uint64_t ios = total_of(&outcome.total, false);
        rate = (double)ios / outcome.seconds;
        s->progress.rate = rate;
        if (i == 0)
            end_realtime_of_spinners(s, &outcome);
        if (i > 0 && ios >= TRIAL_ENOUGH_IOS)
            break;
    }
    if (!look_for_a_faster_rate(s, &rate))
        return false;
    s->contents.measurement.slice_seconds = slice_for_rate(rate);
    record_slice_length(&s->record, s->contents.measurement.slice_seconds);
    return true;
}

static double first_round_seconds(const struct session *s)
{
    struct judge_config config = plan_judge_config(&s->contents.plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    double least = (double)stop_min_n(&rule) * s->contents.measurement.slice_seconds;
    double wanted = s->contents.plan.minimum_seconds;
    /* One slice is left out at the beginning and one may be cut at the end. */
    return (least > wanted ? least : wanted) + 2 * s->contents.measurement.slice_seconds;
}

static double next_round_seconds(const struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    double measured = (double)m->original_slices * m->slice_seconds;
    double required = s->judged.required_slices * s->judged.slice_seconds * REQUIRED_MARGIN;
    double more = required - measured;
    if (!(more < GROWTH_MAX * measured))
        more = GROWTH_MAX * measured;
    if (more < GROWTH_MIN * measured)
        more = GROWTH_MIN * measured;
    return more;
}

/*
 * A session does not end while the target is at another level than the one judged stable: what has
 * just begun may be the level that lasts, as when a drive's cache is used up.
 */
bool session_is_precise(struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    judge_rate(&s->contents, &s->judged);
    return s->judged.enough && s->judged.rate.stable_end == m->slice_count &&
           (double)m->original_slices * m->slice_seconds >= s->contents.plan.minimum_seconds;
}

void session_measure(struct session *s)
{
    static const struct err hanging = {
        ERR_TARGET, "I/O is in flight that does not come back: the target hangs"};
    struct contents *c = &s->contents;
    s->flushed_ticks = clock_ticks(&s->clock);
    if (plan_is_one_pass(&c->plan)) {
        session_measure_pass(s);
        return;
    }
    if (!run_trials(s))
        return;
    session_watch_begin(s);

    double seconds = first_round_seconds(s);
    for (;;) {
        double left = c->plan.limit_seconds - session_seconds(s);
        if (left < 3 * c->measurement.slice_seconds) {
            c->verdict = VERDICT_LIMIT;
            return;
        }
        struct round_outcome outcome;
        s->judge_next_seconds = JUDGE_EVERY_SECONDS;
        if (!session_round(s, false, seconds < left ? seconds : left, c->measurement.slice_seconds,
                           &outcome))
            return;
        s->progress.rounds++;
        bool is_precise = session_is_precise(s);
        update_progress(s);
        if (c->timing.saturated) { /* its response times grow for as long as it goes on */
            c->verdict = VERDICT_SATURATED;
            return;
        }
        if (is_precise) {
            c->verdict = VERDICT_PRECISE;
            return;
        }
        seconds = next_round_seconds(s);
        if (!plan_is_timed(&c->plan))
            session_watch_compare(s, true);
        if (s->stuck) {
            describe_failure(s, &hanging);
            return;
        }
    }
}
