/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the rounds of a session (Li et al., Pilot (2016), III-E): trial rounds to learn how fast the
 * target is, then measured rounds, each with the length that is still needed according to the
 * judgement so far, until the stop rule fires or something else ends the session. The stop rule is
 * checked about once a second: a round in which it fires ends then, and is judged once more with
 * all of its readings, as it will be when its record is read.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/loop/placement.h"
#include "run/replay/fidelity.h"
#include "run/session/running.h"
#include "run/session/slice_length.h"
#include "source/generator/workload_spec_text.h"

/* Lengths of the trial rounds. They are stored and shown, but not used (Pilot leaves out rounds
   below a minimum length). */
static const double trial_seconds[] = {0.1, 0.4, 2.0};

#define TRIAL_SLICE_SECONDS 0.01
#define TRIAL_ENOUGH_IOS    50
/* A target that is slow only at first gets at most LOOKS_MAX further trial rounds. Each takes
   LOOK_SHARE of the session's expected or longest length, and at most LOOK_MAX_SECONDS. */
#define LOOKS_MAX        4
#define LOOK_SHARE       0.1
#define LOOK_MAX_SECONDS 2.0
/* A worker that uses this share of its processor is spinning. */
#define SPINNING_SHARE 0.9
/* If more than this share of a round's I/O fails, the target has failed. */
#define FAILED_SHARE 0.01
/* Longest round in which passes are prepared. */
#define ROUND_WITH_PASSES_SECONDS 10.0

/* Ends a period of the jobs, after its length or at the end of the round. */
static void end_jobs(struct session *s)
{
    struct measurement *m = &s->contents.measurement;
    record_jobs(&s->record, &m->jobs);
    job_histories_end(&m->jobs, &m->history);
}

static void add_to_jobs(struct session *s, const struct batch *batch)
{
    struct measurement *m = &s->contents.measurement;
    const uint64_t batch_ns = measurement_batch_ns(m, batch->span);
    if (!m->jobs.count || !batch->wall_ns)
        return;
    if (job_histories_ended(&m->jobs, &m->history, batch, batch_ns))
        end_jobs(s);
    job_histories_add(&m->jobs, batch, batch_ns);
}

static void on_batch(void *context, const struct batch *batch)
{
    struct session *s = context;
    measurement_add(&s->contents.measurement, batch);
    session_see_violation(s, batch);
    SESSION_PARTS_CALL(s, batch, s, batch);
    add_to_jobs(s, batch);
    uint64_t ios = 0;
    double seconds = batch->slice_count * batch->span * s->contents.measurement.slice_seconds;
    for (unsigned i = 0; i < batch->slice_count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            ios += operation_has_bytes(op) ? batch->slices[i].op[op].ios : 0;
    if (batch->slice_count)
        s->progress.rate = (double)ios / seconds;
}

static void on_pause(void *context, double elapsed_seconds)
{
    struct session *s = context;
    session_end_punctuality(s);
    session_parts_call(s, ON_PAUSE);
    if (session_look(s, elapsed_seconds))
        group_end_round(&s->group, elapsed_seconds);
    session_show_round(s, elapsed_seconds);
}

static void on_pause_of_trial(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_show(context, "warming up");
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
    if (s->ops->action) {
        snprintf(c->failure, sizeof c->failure, "%.100s: a %s failed: %s", s->target.path,
                 s->ops->action->name, strerror(w->failure.error));
        return;
    }
    const char *verb = operation_names[w->failure.op];
    char status[100];
    if (!operation_has_bytes(w->failure.op))
        snprintf(c->failure, sizeof c->failure, "%.100s: %s failed: %s%s", s->target.path, verb,
                 strerror(w->failure.error), session_failure_status(w, status, sizeof status));
    else if (w->failure.error)
        snprintf(c->failure, sizeof c->failure, "%.60s: %s of %u bytes at byte %llu failed: %s%s",
                 s->target.path, verb, w->failure.asked, (unsigned long long)w->failure.offset,
                 strerror(w->failure.error), session_failure_status(w, status, sizeof status));
    else
        snprintf(c->failure, sizeof c->failure, "%.100s: %s at byte %llu moved %u of %u bytes",
                 s->target.path, verb, (unsigned long long)w->failure.offset, w->failure.moved,
                 w->failure.asked);
}

static uint64_t ios_of(const struct slice *total)
{
    uint64_t ios = 0;
    for (int op = 0; op < OPERATIONS; op++)
        ios += total->op[op].ios;
    return ios;
}

static bool target_has_failed(const struct group *g, const struct slice *total)
{
    uint64_t errors = 0;
    for (int op = 0; op < OPERATIONS; op++)
        errors += total->op[op].errors;
    if ((double)errors > FAILED_SHARE * (double)(errors + ios_of(total)))
        return true;
    for (unsigned i = 0; i < g->count; i++)
        if (g->workers[i].fatal)
            return true;
    return false;
}

bool session_round_failed(struct session *s, int status, const struct round_outcome *outcome,
                          const struct err *error)
{
    if (!status && !target_has_failed(&s->group, &outcome->total))
        return false;
    describe_failure(s, error);
    return true;
}

/* Runs one round and records it. Returns false if the session has ended; the verdict has the
   reason. */
static bool run_round(struct session *s, bool trial, double seconds, double slice_seconds,
                      struct round_outcome *outcome)
{
    struct contents *c = &s->contents;
    struct err error = {0};
    if (measurement_begin_round(&c->measurement, trial, session_seconds(s), &error)) {
        c->verdict = VERDICT_LIMIT;
        return false;
    }
    struct round *round = &c->measurement.rounds[c->measurement.round_count - 1];
    session_parts_call(s, ON_LOOK); /* earlier messages of the kernel do not belong to the round */
    const unsigned span = trial ? 1 : slice_span(&c->measurement, &c->plan);
    record_begin_round(&s->record, round);
    struct round_request request = {.seconds = seconds,
                                    .slice_seconds = slice_seconds * span,
                                    .slice_span = span,
                                    .recording = true,
                                    .counts = !trial,
                                    .traced = !trial,
                                    .one_pass = plan_is_one_pass(&c->plan),
                                    .stop = s->stop,
                                    .on_batch = trial ? NULL : on_batch,
                                    .on_pause = trial ? on_pause_of_trial : on_pause,
                                    .on_suspension = on_suspension,
                                    .context = s};
    if (!trial) {
        SESSION_PARTS_CALL(s, begin_round, s);
        request.begin_ticks = session_await_round(s, INTERVAL_SLICES * request.slice_seconds);
    }
    int failed = group_run_round(&s->group, &request, outcome, &error);
    if (!trial) {
        session_note_begin(s, s->group.order.begin_ticks);
        SESSION_PARTS_CALL(s, end_round, s, outcome);
    }
    s->stuck = outcome->stuck;
    s->overrun_seconds += outcome->overrun_seconds;
    s->aside_share = outcome->seconds > 0 ? outcome->aside_seconds / outcome->seconds : 0;
    end_jobs(s);
    measurement_end_round(&c->measurement, outcome->seconds, &outcome->total);
    record_end_round(&s->record, round);
    record_flush(&s->record);
    if (plan_is_timed(&c->plan))
        session_take_timing(s, outcome->seconds, trial);

    if (session_round_failed(s, failed, outcome, &error))
        return false;
    if (session_stopped(s)) {
        c->verdict = VERDICT_INTERRUPTED;
        return false;
    }
    return true;
}

/* Takes real-time priority from workers whose loop never sleeps (see placement.h). A timed loop
   decides this itself, because it can choose to sleep more. */
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

static double min_measured_seconds(const struct session *s, double slice_seconds)
{
    struct judge_config config = plan_judge_config(&s->contents.plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    return (double)stop_min_n(&rule) * slice_seconds;
}

/* Returns true if this takes longer than the run that the user requested. A user who requests a
   short run does not want to wait longer for slices. */
static bool is_longer_than_run(const struct session *s, double seconds)
{
    double runtime = s->contents.plan.ending.runtime_seconds;
    return runtime > 0 && seconds > runtime;
}

/* Runs the trial rounds. Their rate decides the length of a slice. Returns false if the session has
   ended. */
static bool run_trials(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    double rate = 0;
    for (unsigned i = 0; i < sizeof trial_seconds / sizeof *trial_seconds; i++) {
        struct round_outcome outcome;
        if (i > 1 && is_longer_than_run(s, trial_seconds[i]))
            break;
        do { /* repeated if the program was suspended: such a round shows no rate */
            if (!run_round(s, true, trial_seconds[i], TRIAL_SLICE_SECONDS, &outcome))
                return false;
        } while (outcome.suspensions);
        uint64_t ios = ios_of(&outcome.total);
        rate = s->progress.rate = (double)ios / outcome.seconds;
        if (i == 0)
            end_realtime_of_spinners(s, &outcome);
        if (i > 0 && ios >= TRIAL_ENOUGH_IOS)
            break;
    }
    /*
     * A target that is slow only at first would get slices that are too long, and the minimum
     * number of slices would take a long time. So a part of that time is used for further trial
     * rounds, as long as their rates require shorter slices.
     */
    for (int look = 0; look < LOOKS_MAX; look++) {
        struct round_outcome outcome;
        double slice = slice_for_rate(rate), round = min_measured_seconds(s, slice);
        if (slice <= SLICE_MIN_SECONDS || round <= plan->ending.minimum_seconds)
            break;
        double seconds =
            fmin(LOOK_SHARE * fmin(round, plan->ending.limit_seconds), LOOK_MAX_SECONDS);
        if (is_longer_than_run(s, seconds))
            break;
        if (!run_round(s, true, seconds, TRIAL_SLICE_SECONDS, &outcome))
            return false;
        rate = s->progress.rate = (double)ios_of(&outcome.total) / outcome.seconds;
        if (slice_for_rate(rate) >= slice)
            break;
    }
    double slice = slice_to_fit(slice_for_rate(rate), rate, session_seconds_left(s));
    s->contents.measurement.slice_seconds = slice_for_length(slice_for_clauses(slice, plan), plan);
    record_slice_length(&s->record, s->contents.measurement.slice_seconds);
    return true;
}

/* Returns true if all workers have reached each block of their share. */
static bool all_exhausted(const struct session *s)
{
    bool all = true;
    for (unsigned i = 0; i < s->group.count; i++)
        all &= atomic_load(&s->group.workers[i].exhausted);
    return all;
}

/* Measures phases, a trace or trims, once from begin to end. */
static void measure_pass(struct session *s)
{
    struct contents *c = &s->contents;
    /* the duration of trims is not known in advance */
    const bool trims = plan_trims_in_order(&c->plan);
    double whole = s->replay || trims ? 0 : (double)phases_length(&s->workload.phases) * 1e-9;
    struct plan as_long = c->plan;
    as_long.ending.runtime_seconds = whole;
    const double slice = slice_for_length(SESSION_PASS_SLICE_SECONDS, &as_long);
    c->measurement.slice_seconds = slice;
    record_slice_length(&s->record, slice);
    session_parts_call(s, ON_MEASURE);
    if (!session_await_start(s))
        return;

    double seconds = session_seconds_left(s);
    if (!s->replay && !trims)
        seconds = fmin(seconds, whole);
    struct round_outcome outcome = {0};
    bool has_time = seconds >= slice; /* the preparation may have used up the time */
    bool went_on = has_time && run_round(s, false, seconds, slice, &outcome);
    s->progress.done_share = NAN;
    if (s->replay) {
        /* after a signal the reader's thread is still reading ahead and calls fidelity_event */
        replay_stop(s->replay);
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
    bool ended = trims       ? all_exhausted(s)
                 : s->replay ? replay_counts(s->replay)->ended
                             : seconds >= whole;
    c->verdict = s->violated ? VERDICT_DECIDED : ended ? VERDICT_COMPLETE : VERDICT_LIMIT;
    /* A part of a trace may have only flushes, or no request that fits. */
    if (ended && !ios_of(&outcome.total) && !c->plan.replay.devices[0]) {
        c->verdict = VERDICT_FAILED;
        snprintf(c->failure, sizeof c->failure,
                 "no request was issued: there is nothing to report");
    }
    const struct err *trouble = s->replay ? replay_error(s->replay) : NULL;
    if (trouble && trouble->code) {
        c->verdict = VERDICT_FAILED;
        snprintf(c->failure, sizeof c->failure, "%.230s", trouble->msg);
    }
}

/* Does everything before the first measured round, up to the instant of its begin. */
static bool get_ready(struct session *s)
{
    if (!run_trials(s))
        return false;
    session_parts_call(s, ON_MEASURE);
    return session_await_start(s);
}

void session_measure(struct session *s)
{
    static const struct err hanging = {
        ERR_TARGET, "I/O is in flight that does not come back: the target hangs"};
    struct contents *c = &s->contents;
    session_begin_looks(s);
    if (plan_is_one_pass(&c->plan)) {
        measure_pass(s);
        return;
    }
    if (!get_ready(s))
        return;

    double slice = c->measurement.slice_seconds;
    double seconds = fmax(min_measured_seconds(s, slice), c->plan.ending.minimum_seconds) +
                     ROUND_ENDS_SLICES * slice;
    if (c->plan.ending.runtime_seconds > 0)
        seconds = c->plan.ending.runtime_seconds + ROUND_ENDS_SLICES * slice;
    for (;;) {
        double left = session_seconds_left(s) / (1 + s->aside_share);
        if (left < ROUND_ENDS_SLICES * c->measurement.slice_seconds) {
            c->verdict = session_limit_verdict(s);
            return;
        }
        struct round_outcome outcome;
        session_progress_begin_round(s, fmin(seconds, left));
        /* workers exclude the time in which they prepare passes, each a different amount, so rounds
           are kept short */
        if (s->ops->action)
            seconds = fmin(seconds, ROUND_WITH_PASSES_SECONDS);
        if (!run_round(s, false, fmin(seconds, left), c->measurement.slice_seconds, &outcome))
            return;
        s->progress.rounds++;
        if (session_is_decided(s, &seconds))
            return;
        session_parts_call(s, ON_BETWEEN);
        if (s->stuck) {
            describe_failure(s, &hanging);
            return;
        }
    }
}
