/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the single requests of a session: the trace of all of them, and the slowest ones. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/evidence/completion_trace.h"
#include "run/parts/internal.h"

/* A disk with a long queue, or whose other controller takes over, answers within this time. */
#define TRACE_HANGS_SECONDS 30

/* A cost above this share of the rate is shown beside the result. */
#define COST_REPORTED 0.01

struct trace_of_requests {
    struct completion_trace *trace; /* NULL: no trace */
    char path[1100];
    char cost[160]; /* description; "": not measured */
};

static struct trace_of_requests *trace_of(const struct session *s)
{
    return s->own[SESSION_PART_TRACE];
}

/* Creates the file before anything is touched. */
static int create(struct session *s, struct err *e)
{
    struct trace_of_requests *own = trace_of(s);
    const char *path = s->contents.plan.completions, *folder_end = strrchr(s->record.path, '/');
    const struct completion_trace_request request = {.path = own->path,
                                                     .clock = &s->clock,
                                                     .zero_ticks = s->began_ticks,
                                                     .hangs_seconds = TRACE_HANGS_SECONDS};
    if (!*path)
        return 0;
    if (strcmp(path, PLAN_TRACE_IN_FOLDER) != 0)
        snprintf(own->path, sizeof own->path, "%s", path);
    else if (s->record.fd < 0)
        return err_set(e, ERR_USAGE,
                       "--trace without a name stands beside a record: keep one (-o)");
    else
        snprintf(own->path, sizeof own->path, "%.*strace.cupel",
                 folder_end ? (int)(folder_end - s->record.path + 1) : 0, s->record.path);
    return completion_trace_create(&own->trace, &request, e);
}

/* Returns true if the trace and the target are on one file system: writing the trace then affects
   the measurement. */
static bool is_on_target(const struct session *s)
{
    struct stat of_trace, of_target;
    if (s->target.fd < 0 || stat(trace_of(s)->path, &of_trace) || fstat(s->target.fd, &of_target))
        return false;
    return of_trace.st_dev == of_target.st_dev || of_trace.st_dev == of_target.st_rdev;
}

static void set_up(struct session *s, struct group_setup *setup)
{
    setup->traced = trace_of(s)->trace != NULL;
}

/* Begins to trace the requests that the workers finish. */
static int start(struct session *s, struct err *e)
{
    struct trace_of_requests *own = trace_of(s);
    char workload[200];
    if (!own->trace)
        return 0;
    if (is_on_target(s))
        contents_note(&s->contents, true,
                      "the trace lies on the file system that is measured: writing it takes part "
                      "in the result; name a file on another disk (--trace=FILE)");
    plan_describe(&s->contents.plan, workload, sizeof workload);
    const struct completion_trace_source source = {.workers = s->group.workers,
                                                   .count = s->group.count,
                                                   .target = s->target.path,
                                                   .target_size = s->target.size,
                                                   .workload = workload};
    return completion_trace_start(own->trace, &source, e);
}

/* Puts the slowest requests into the contents. */
static void keep_slowest(struct session *s)
{
    struct slowest all;
    if (!s->group_started || s->stuck)
        return;
    group_slowest(&s->group, &all);
    for (unsigned i = 0; i < all.count; i++) {
        const struct finished_request *from = &all.at[i];
        struct result_slow *to = &s->contents.slow[s->contents.slow_count++];
        *to =
            (struct result_slow){.offset = from->offset,
                                 .length = from->length,
                                 .job = from->worker + 1u,
                                 .begin_ns = from->begin > s->began_ticks
                                                 ? clock_ns(&s->clock, from->begin - s->began_ticks)
                                                 : 0,
                                 .latency_ns = clock_ns(&s->clock, from->end - from->begin),
                                 .failed = from->failed};
        snprintf(to->op, sizeof to->op, "%s", operation_names[request_operation(from->command)]);
    }
}

/* Writes the remaining requests to the trace, and puts the slowest requests into the contents. */
static void after(struct session *s)
{
    struct trace_of_requests *own = trace_of(s);
    keep_slowest(s);
    if (!own->trace)
        return;
    const struct completion_trace_counts n = completion_trace_close(own->trace);
    own->trace = NULL;
    s->trace_hangs = n.hangs;
    session_setting(s, "trace", "file", "%s", own->path);
    session_setting(s, "trace", "requests", "%" PRIu64, n.written);
    if (own->cost[0])
        session_setting(s, "trace", "cost", "%s", own->cost);
    if (n.late)
        contents_note(&s->contents, false,
                      "%" PRIu64 " slow requests began more than %d requests before their place in "
                      "the trace: readers show them later; worst.csv has the slowest with their "
                      "instants",
                      n.late, COMPLETION_TRACE_WINDOW);
    if (!n.lost && !n.error.code)
        return;
    session_setting(s, "trace", "complete", "no: %" PRIu64 " requests are missing", n.lost);
    if (n.error.code)
        contents_note(&s->contents, true, "the trace is incomplete: %.200s", n.error.msg);
    else
        contents_note(&s->contents, true,
                      "the trace is incomplete: %" PRIu64 " of %" PRIu64
                      " requests came faster than they could be written",
                      n.lost, n.lost + n.written);
}

static void compare(struct session *s)
{
    struct trace_of_requests *own = trace_of(s);
    struct err e = {0};
    const enum verdict verdict = s->contents.verdict;
    bool ended =
        verdict == VERDICT_PRECISE || verdict == VERDICT_DECIDED || verdict == VERDICT_MEASURED;
    if (!own->trace || !ended || plan_is_timed(&s->contents.plan) ||
        !s->contents.plan.measure_overhead || s->stuck ||
        session_seconds_left(s) < RECORDING_COST_SECONDS ||
        completion_trace_scratch(own->trace, true, &e))
        return;
    struct like_request one = session_whole_round(s, RECORDING_SECONDS), other = one;
    one.traced = true;
    struct cost_pairs p = session_cost_pairs(s, RECORDING_PAIRS, one, other);
    if (completion_trace_scratch(own->trace, false, &e) || !isfinite(p.loss_low) ||
        !isfinite(p.loss_high))
        return;
    snprintf(
        own->cost, sizeof own->cost,
        "the rate with --trace over that without: %.4f, 95 %% interval %.4f to %.4f (%zu pairs "
        "of like rounds)",
        1 - p.loss, 1 - p.loss_high, 1 - p.loss_low, (size_t)RECORDING_PAIRS);
    if (p.loss_low > COST_REPORTED)
        contents_note(&s->contents, true,
                      "--trace took %.1f %% of the rate (95 %% interval %.1f to %.1f %%): the "
                      "result without it would be higher",
                      100 * p.loss, 100 * p.loss_low, 100 * p.loss_high);
}

static double compare_seconds(const struct session *s)
{
    return s->contents.plan.measure_overhead && trace_of(s)->trace ? RECORDING_COST_SECONDS : 0;
}

/* Removes the file of a session that has measured nothing. */
static void end(struct session *s)
{
    s->trace_hangs |= !completion_trace_remove(trace_of(s)->trace);
}

const struct session_part part_trace = {.bytes = sizeof(struct trace_of_requests),
                                        .prepare = {[AT_PLAN] = create, [AT_WORKERS] = start},
                                        .set_up = set_up,
                                        .on[ON_COMPARE] = compare,
                                        .compare_seconds = compare_seconds,
                                        .after = after,
                                        .end = end};
