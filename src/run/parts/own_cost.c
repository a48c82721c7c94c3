/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of measuring (Li et al., Pilot (2016), III-B and III-C): the processor time
 * of the whole loop on the null backend, and pairs of rounds with and without recording or
 * watching.
 *
 * - The cost of recording: without recording there are no unit readings, so the readings of whole
 *   rounds are compared, as Pilot does. Recording includes watching the machine.
 * - The cost of watching: the rate of samples is the highest one whose cost stays below a
 *   threshold. After the first measured round, pairs with and without watching may lower the rate
 *   for the rounds to come. The cost of watching is about proportional to the rate, so a step of
 *   Newton's method on cost(rate) - threshold is one division. A loss that is smaller than the
 *   noise is not reported as a cost, but the limit of processor time bounds it (machine_watch.c).
 */
#include "run/parts/internal.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "stat/basic/descriptive.h"
#include "stat/compare/ratio.h"

#define LOOP_SECONDS          0.05
#define LONG_SLICE            1.0 /* longer than a round, so that no slice ends in it */
#define WATCHING_PAIRS        4
#define WATCHING_SECONDS      0.1
#define WATCHING_COST_SECONDS (2 * WATCHING_PAIRS * WATCHING_SECONDS)
#define PAIRS_MAX             5
#define WATCHING_STEPS        4
#define CONFIDENCE            0.95 /* confidence of the results from pairs of rounds */
/* Comparing rounds with and without watching may take this share of the session's limit. */
#define WATCHING_SHARE_OF_LIMIT 0.05

struct own_cost {
    bool watching_compared; /* rounds with and without watching were compared */
};

/* Measures the processor time of the whole loop. */
static int measure_loop_cost(struct session *s, struct err *e)
{
    (void)e;
    if (!s->contents.plan.measure_overhead || plan_is_timed(&s->contents.plan))
        return 0;
    struct plan plan = s->contents.plan;
    plan.jobs = 1;
    plan.script[0] = '\0';
    plan.realtime = false;
    plan.completions[0] = '\0';
    struct group group;
    struct group_setup setup = {.plan = &plan,
                                .ops = &io_null,
                                .clock = &s->clock,
                                .fd = -1,
                                .region = (uint64_t)1 << 40,
                                .content = session_content(s)};
    struct err error;
    size_t mark = arena_mark(&s->arena);
    if (group_init(&group, &setup, &s->arena, &error) || group_start(&group, &error)) {
        arena_reset(&s->arena, mark);
        contents_note(&s->contents, false, "own cost was not measured: %s", error.msg);
        return 0;
    }
    struct round_request request = {
        .seconds = LOOP_SECONDS, .slice_seconds = 0.01, .recording = true, .stop = s->stop};
    struct round_outcome outcome;
    bool failed = group_run_round(&group, &request, &outcome, &error) != 0;
    const uint64_t ios = slice_data(&outcome.total).ios;
    if (!failed && ios)
        s->contents.overhead.null_ns = outcome.cpu_seconds * 1e9 / (double)ios;
    group_stop(&group);
    arena_reset(&s->arena, mark);
    return 0;
}

/* Samples the machine in the pauses, as a measured round does. */
static void sample_on_pause(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_watch_sample(context, false);
}

/*
 * Returns the processor time of all threads except the calling one. It includes the kernel's
 * threads that work for us: the kernel leaves work to them that would have to wait, such as
 * requests that must be split.
 */
static double other_threads_seconds(void)
{
    return seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID) - seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
}

struct like_round session_like_round(struct session *s, const struct like_request *like)
{
    struct round_request request = {
        .seconds = like->seconds,
        .on_pause = like->watching ? sample_on_pause : NULL,
        .context = s,
        .slice_seconds = like->recording ? s->contents.measurement.slice_seconds : LONG_SLICE,
        .recording = like->recording,
        .traced = like->traced,
        .stop = s->stop};
    struct round_outcome outcome;
    struct err error;
    if (s->stuck)
        return (struct like_round){NAN, NAN};
    session_show(s, like->stage);
    double cpu_before = other_threads_seconds();
    if (group_run_round(like->group, &request, &outcome, &error) || outcome.suspensions ||
        session_stopped(s)) {
        s->stuck = outcome.stuck;
        return (struct like_round){NAN, NAN};
    }
    uint64_t ios = outcome.counted;
    for (int op = 0; like->recording && op < OPERATIONS; op++)
        ios += outcome.total.op[op].ios;
    return (struct like_round){(double)ios / outcome.seconds,
                               (other_threads_seconds() - cpu_before) / (double)ios};
}

struct like_request session_whole_round(struct session *s, double seconds)
{
    return (struct like_request){.group = &s->group,
                                 .seconds = seconds,
                                 .recording = true,
                                 .watching = true,
                                 .stage = "measuring its own cost"};
}

struct cost_pairs session_cost_pairs(struct session *s, size_t count, struct like_request one,
                                     struct like_request other)
{
    const struct ratio_config config = {.confidence = CONFIDENCE, .once = true, .paired = true};
    double a[PAIRS_MAX], b[PAIRS_MAX];
    for (size_t i = 0; i < count; i++) {
        if (i % 2)
            b[i] = session_like_round(s, &other).iops;
        a[i] = session_like_round(s, &one).iops;
        if (!(i % 2))
            b[i] = session_like_round(s, &other).iops;
    }
    struct ratio kept = ratio_of_series(a, count, b, count, &config, &s->arena);
    return (struct cost_pairs){mean_of(a, count), mean_of(b, count), 1 - kept.value, 1 - kept.high,
                               1 - kept.low};
}

static void measure_recording_cost(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    struct overhead *overhead = &s->contents.overhead;
    double needed = RECORDING_COST_SECONDS;
    if (!plan->measure_overhead || session_seconds_left(s) < needed)
        return;
    struct like_request one = session_whole_round(s, RECORDING_SECONDS), other = one;
    other.recording = other.watching = false;
    struct cost_pairs p = session_cost_pairs(s, RECORDING_PAIRS, one, other);
    if (!isfinite(p.loss_low) || !isfinite(p.loss_high))
        return;
    overhead->recorded_iops = p.iops;
    overhead->unrecorded_iops = p.other_iops;
    overhead->noise_share = (p.loss_high - p.loss_low) / 2;
}

/* Lowers the sampling rate from what processor time permits to a rate whose loss does not exceed
   the threshold. Adds a note if rounds were measured at a rate that costs too much. */
static void compare_watching(struct session *s, bool more_rounds)
{
    struct own_cost *own = s->own[SESSION_PART_OWN_COST];
    struct watch_rate *rate = session_watch_rate(s);
    const struct plan *plan = &s->contents.plan;
    const double needed = WATCHING_COST_SECONDS;
    double threshold = plan->watch.cost;
    double time_left =
        fmin(WATCHING_SHARE_OF_LIMIT * plan->ending.limit_seconds, session_seconds_left(s));
    if (!(rate->hertz > 0) || own->watching_compared || plan->watch.rate)
        return;
    own->watching_compared = true;
    int steps = (int)(fmax(time_left, 0) / needed);
    for (int step = 0; step < steps; step++) {
        session_show(s, "finding how often to watch");
        struct like_request one = session_whole_round(s, WATCHING_SECONDS), other = one;
        other.watching = false;
        struct cost_pairs p = session_cost_pairs(s, WATCHING_PAIRS, one, other);
        double margin = (p.loss_high - p.loss_low) / 2;
        if (!isfinite(p.loss_low) || !isfinite(p.loss_high) || session_stopped(s))
            return;
        bool too_much = p.loss_low > threshold;
        snprintf(rate->found, sizeof rate->found, "like rounds lose %+.2f %% with it, +-%.2f %%%s",
                 100 * p.loss, 100 * margin,
                 p.loss_high <= threshold ? ""
                 : too_much               ? ": too much"
                                          : ": less than the noise");
        if (!too_much)
            return;
        if (step == 0)
            contents_note(
                &s->contents, true,
                "watching the machine %.3g times a second took %.1f %% of the rate in the "
                "rounds until then (see --monitor-cost)",
                rate->hertz, 100 * p.loss);
        if (!more_rounds || step == WATCHING_STEPS)
            return;
        session_watch_at(s, fmax(fmin(rate->hertz * threshold / p.loss, rate->hertz / 2), 1));
    }
}

static void between(struct session *s)
{
    if (!plan_is_timed(&s->contents.plan))
        compare_watching(s, true);
}

static void compare(struct session *s)
{
    if (!session_compares(s))
        return;
    compare_watching(s, false);
    measure_recording_cost(s);
}

static double compare_seconds(const struct session *s)
{
    const struct own_cost *own = s->own[SESSION_PART_OWN_COST];
    const struct plan *plan = &s->contents.plan;
    const bool watching =
        session_watch_rate(s)->hertz > 0 && !own->watching_compared && !plan->watch.rate;
    return (plan->measure_overhead ? RECORDING_COST_SECONDS : 0) +
           (watching ? WATCHING_COST_SECONDS : 0);
}

static void report(struct session *s)
{
    const struct overhead *o = &s->contents.overhead;
    char on[UNITS_BUFFER], off[UNITS_BUFFER];
    if (!isnan(o->recorded_iops))
        session_setting(s, "overhead", "cost of recording",
                        "%s IOPS with, %s without: %+.2f %%, +-%.2f %%",
                        format_count(on, sizeof on, o->recorded_iops),
                        format_count(off, sizeof off, o->unrecorded_iops),
                        (o->recorded_iops / o->unrecorded_iops - 1) * 100, o->noise_share * 100);
}

const struct session_part part_own_cost = {
    .bytes = sizeof(struct own_cost),
    .prepare[AT_WORKERS] = measure_loop_cost,
    .on = {[ON_BETWEEN] = between, [ON_COMPARE] = compare, [ON_REPORT] = report},
    .compare_seconds = compare_seconds};
