/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of measuring (Li et al., Pilot (2016), III-B and III-C): the processor time of
 * the whole loop on the null backend, and pairs of rounds with and without recording or watching.
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
#define LONG_SLICE     1.0 /* longer than a round, so that no slice ends in it */
#define PAIRS_MAX      5
#define WATCHING_STEPS 4
/* A cost of the trace above this share of the rate is shown beside the result. */
#define TRACE_COST_REPORTED 0.01
#define CONFIDENCE          0.95 /* confidence of the results from pairs of rounds */
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
        return;
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

/* The results of several pairs. NaN: not measured, because a round did not run to its end. */
struct pairs {
    double iops, other_iops;          /* means of the rounds */
    double loss, loss_low, loss_high; /* share of the rate that the first kind loses against the
                                         other */
};

/* Returns a round that is recorded and watched. */
static struct like_request whole_round(struct session *s, double seconds)
{
    return (struct like_request){.group = &s->group,
                                 .seconds = seconds,
                                 .recording = true,
                                 .watching = true,
                                 .stage = "measuring its own cost"};
}

/* Runs pairs of rounds: round `one` does what may cost something, the other does not. In odd pairs
   the other one comes first: A B B A. */
static struct pairs run_pairs(struct session *s, size_t count, struct like_request one,
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
    struct like_request one = whole_round(s, RECORDING_SECONDS), other = one;
    other.recording = other.watching = false;
    struct pairs p = run_pairs(s, RECORDING_PAIRS, one, other);
    if (!isfinite(p.loss_low) || !isfinite(p.loss_high))
        return;
    overhead->recorded_iops = p.iops;
    overhead->unrecorded_iops = p.other_iops;
    overhead->noise_share = (p.loss_high - p.loss_low) / 2;
}

void session_measure_trace_cost(struct session *s)
{
    struct err e = {0};
    const enum verdict verdict = s->contents.verdict;
    bool ended =
        verdict == VERDICT_PRECISE || verdict == VERDICT_DECIDED || verdict == VERDICT_MEASURED;
    if (!s->trace || !ended || !s->contents.plan.measure_overhead || s->stuck ||
        session_seconds_left(s) < RECORDING_COST_SECONDS ||
        completion_trace_scratch(s->trace, true, &e))
        return;
    struct like_request one = whole_round(s, RECORDING_SECONDS), other = one;
    one.traced = true;
    struct pairs p = run_pairs(s, RECORDING_PAIRS, one, other);
    if (completion_trace_scratch(s->trace, false, &e) || !isfinite(p.loss_low) ||
        !isfinite(p.loss_high))
        return;
    snprintf(
        s->trace_cost, sizeof s->trace_cost,
        "the rate with --trace over that without: %.4f, 95 %% interval %.4f to %.4f (%zu pairs "
        "of like rounds)",
        1 - p.loss, 1 - p.loss_high, 1 - p.loss_low, (size_t)RECORDING_PAIRS);
    if (p.loss_low > TRACE_COST_REPORTED)
        contents_note(&s->contents, true,
                      "--trace took %.1f %% of the rate (95 %% interval %.1f to %.1f %%): the "
                      "result without it would be higher",
                      100 * p.loss, 100 * p.loss_low, 100 * p.loss_high);
}

/* Lowers the sampling rate from what processor time permits to a rate whose loss does not exceed
   the threshold. Adds a note if rounds were measured at a rate that costs too much. */
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
        struct like_request one = whole_round(s, WATCHING_SECONDS), other = one;
        other.watching = false;
        struct pairs p = run_pairs(s, WATCHING_PAIRS, one, other);
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
