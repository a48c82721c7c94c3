/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What measuring costs (Li et al., Pilot (2016), III-B and III-C): the processor time of the whole
 * loop on the null backend, and like rounds in pairs, with and without.
 *
 *   Recording. Without it there are no unit readings, so the readings of whole rounds are compared,
 *     as Pilot does. Recording includes watching the machine.
 *   Watching. Its rate is the highest whose cost stays below a threshold: after the first measured
 *     round pairs with and without watching may lower it for the rounds to come. Watching costs
 *     about in proportion to its rate, so a step of Newton's method on cost(rate) - threshold is
 *     one division. A loss that the noise hides is not called a cost: processor time bounds it all
 *     the same (session_watch.c).
 */
#include "run/session/internal.h"

#include <math.h>
#include <stdio.h>

#include "stat/basic/descriptive.h"
#include "stat/compare/ratio.h"

#define LOOP_SECONDS   0.05
#define LONG_SLICE     1.0 /* longer than a round: no slice ends in it */
#define PAIRS_MAX      5
#define WATCHING_STEPS 4
#define CONFIDENCE     0.95 /* of what pairs of rounds say */
/* Comparing rounds with and without watching may take this share of the session's limit. */
#define WATCHING_SHARE_OF_LIMIT 0.05

void session_measure_loop_cost(struct session *s)
{
    if (!s->contents.plan.measure_overhead)
        return;
    struct plan plan = s->contents.plan;
    plan.jobs = 1;
    plan.script[0] = '\0';
    plan.realtime = false;
    struct group group;
    struct group_setup setup = {
        .plan = &plan, .ops = &io_null, .clock = &s->clock, .fd = -1, .region = (uint64_t)1 << 40};
    struct err error;
    size_t mark = arena_mark(&s->arena);
    if (group_init(&group, &setup, &s->arena, &error) || group_start(&group, &error)) {
        arena_reset(&s->arena, mark);
        contents_note(&s->contents, false, "own cost was not measured: %s", error.msg);
        return;
    }
    struct round_request request = {
        .seconds = LOOP_SECONDS, .slice_seconds = 0.01, .recording = true, .stop = s->stop};
    struct round_outcome outcome;
    bool failed = group_run_round(&group, &request, &outcome, &error) != 0;
    uint64_t ios = outcome.total.op[IO_READ].ios + outcome.total.op[IO_WRITE].ios;
    if (!failed && ios)
        s->contents.overhead.null_ns = outcome.cpu_seconds * 1e9 / (double)ios;
    group_stop(&group);
    arena_reset(&s->arena, mark);
}

/* A measured round samples the machine as well. */
static void sample_on_pause(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_watch_sample(context, false);
}

/* Processor time of all threads but the calling one, those included that the kernel runs for us: it
   leaves to them what would have to wait, such as requests that have to be split. */
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
    for (int op = 0; like->recording && op < IO_OPS; op++)
        ios += outcome.total.op[op].ios;
    return (struct like_round){(double)ios / outcome.seconds,
                               (other_threads_seconds() - cpu_before) / (double)ios};
}

/* Several pairs. NaN: not measured, for a round did not run to its end. */
struct pairs {
    double iops, other_iops;          /* means of the rounds */
    double loss, loss_low, loss_high; /* share of the rate that the one loses against the other */
};

/*
 * The one round of a pair is recorded and watched; the other is not watched, and recorded only if
 * `recorded`. Pairs of odd number have the other one first: A B B A.
 */
static struct pairs run_pairs(struct session *s, size_t count, double seconds, bool recorded)
{
    const struct like_request one = {.group = &s->group,
                                     .seconds = seconds,
                                     .recording = true,
                                     .watching = true,
                                     .stage = "measuring its own cost"};
    struct like_request other = one;
    other.recording = recorded;
    other.watching = false;
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
    return (struct pairs){mean_of(a, count), mean_of(b, count), 1 - kept.value, 1 - kept.high,
                          1 - kept.low};
}

void session_measure_recording_cost(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    struct overhead *overhead = &s->contents.overhead;
    double needed = RECORDING_COST_SECONDS;
    if (!plan->measure_overhead || session_seconds_left(s) < needed)
        return;
    struct pairs p = run_pairs(s, RECORDING_PAIRS, RECORDING_SECONDS, false);
    if (!isfinite(p.loss_low) || !isfinite(p.loss_high))
        return;
    overhead->recorded_iops = p.iops;
    overhead->unrecorded_iops = p.other_iops;
    overhead->noise_share = (p.loss_high - p.loss_low) / 2;
}

/*
 * From the rate that processor time permits down to one at which no loss above the threshold shows.
 * A note says so when rounds were measured at a rate that turns out to cost too much.
 */
void session_compare_watching(struct session *s, bool more_rounds)
{
    const struct plan *plan = &s->contents.plan;
    const double needed = WATCHING_COST_SECONDS;
    double threshold = plan->monitor_cost;
    double time_left = fmin(WATCHING_SHARE_OF_LIMIT * plan->limit_seconds, session_seconds_left(s));
    if (!s->watching || s->watch_compared || plan->monitor_rate)
        return;
    s->watch_compared = true;
    int steps = (int)(fmax(time_left, 0) / needed);
    for (int step = 0; step < steps; step++) {
        session_show(s, "finding how often to watch");
        struct pairs p = run_pairs(s, WATCHING_PAIRS, WATCHING_SECONDS, true);
        double margin = (p.loss_high - p.loss_low) / 2;
        if (!isfinite(p.loss_low) || !isfinite(p.loss_high) || session_stopped(s))
            return;
        bool too_much = p.loss_low > threshold;
        snprintf(s->watch_found, sizeof s->watch_found,
                 "like rounds lose %+.2f %% with it, +-%.2f %%%s", 100 * p.loss, 100 * margin,
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
                1 / s->watch_every_seconds, 100 * p.loss);
        if (!more_rounds || step == WATCHING_STEPS)
            return;
        double hertz = 1 / s->watch_every_seconds;
        session_watch_rate(s, fmax(fmin(hertz * threshold / p.loss, hertz / 2), 1));
    }
}
