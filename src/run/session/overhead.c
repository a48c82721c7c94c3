/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What measuring costs (Li et al., Pilot (2016), III-C): the processor time of the whole loop on
 * the null backend, and the reading of like rounds with recording on and off. Without recording
 * there are no unit readings, so readings are compared, as the paper says. Recording includes
 * watching the machine.
 */
#include "run/session/internal.h"
#include <math.h>
#include <time.h>

#define LOOP_SECONDS 0.05
#define PAIR_SECONDS 0.3
#define PAIRS        5
#define T_QUANTILE   2.776 /* Student's t, 4 degrees of freedom, 95 %, two-sided */
#define LONG_SLICE   1.0   /* longer than a round: no slice ends in it */

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

/* Between the instants of a round: what a measured round does as well. */
static void sample(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_watch_sample(context, false);
}

static double seconds_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor time of all threads but the calling one, those included that the kernel runs for us: it
   leaves to them what would have to wait, such as requests that have to be split. */
static double other_threads_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

struct like_round session_like_round(struct session *s, const struct like_request *like)
{
    struct round_request request = {
        .seconds = like->seconds,
        .on_pause = like->watching ? sample : NULL,
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

static double own_round(struct session *s, double seconds, bool recording, bool watching)
{
    const struct like_request request = {.group = &s->group,
                                         .seconds = seconds,
                                         .recording = recording,
                                         .watching = watching,
                                         .stage = "measuring our own cost"};
    return session_like_round(s, &request).iops;
}

void session_like_pair(struct session *s, double seconds, unsigned number, bool recorded,
                       double *watched, double *other)
{
    if (number % 2)
        *other = own_round(s, seconds, recorded, false);
    *watched = own_round(s, seconds, true, true);
    if (!(number % 2))
        *other = own_round(s, seconds, recorded, false);
}

void session_measure_recording_cost(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    struct overhead *overhead = &s->contents.overhead;
    double needed = 2 * PAIRS * PAIR_SECONDS;
    if (!plan->measure_overhead || plan->limit_seconds - session_seconds(s) < needed)
        return;

    double mean_on = 0, mean_off = 0, loss[PAIRS], mean = 0, square = 0;
    for (int i = 0; i < PAIRS; i++) {
        double on, off;
        session_like_pair(s, PAIR_SECONDS, (unsigned)i, false, &on, &off);
        mean_on += on / PAIRS;
        mean_off += off / PAIRS;
        loss[i] = 1 - on / off;
        mean += loss[i] / PAIRS;
    }
    for (int i = 0; i < PAIRS; i++)
        square += (loss[i] - mean) * (loss[i] - mean) / (PAIRS - 1);
    if (isnan(mean_on) || isnan(mean_off) || mean_off <= 0)
        return;
    overhead->recorded_iops = mean_on;
    overhead->unrecorded_iops = mean_off;
    overhead->noise_share = T_QUANTILE * sqrt(square / PAIRS);
}
