/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The single requests of a session: the trace of all of them, and the slowest ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/session/internal.h"

/* A disk with a long queue, or whose other controller takes over, answers within this time. */
#define TRACE_HANGS_SECONDS 30

static void setting(struct session *s, const char *key, const char *value)
{
    facts_add(&s->contents.settings, "trace", key, value, "", "", FACT_OK);
}

int session_trace_create(struct session *s, struct err *e)
{
    const char *path = s->contents.plan.completions, *folder_end = strrchr(s->record.path, '/');
    const struct completion_trace_request request = {.path = s->trace_path,
                                                     .clock = &s->clock,
                                                     .zero_ticks = s->began_ticks,
                                                     .hangs_seconds = TRACE_HANGS_SECONDS};
    if (!*path)
        return 0;
    if (strcmp(path, PLAN_TRACE_IN_FOLDER) != 0)
        snprintf(s->trace_path, sizeof s->trace_path, "%s", path);
    else if (s->record.fd < 0)
        return err_set(e, ERR_USAGE,
                       "--trace without a name stands beside a record: keep one (-o)");
    else
        snprintf(s->trace_path, sizeof s->trace_path, "%.*strace.cupel",
                 folder_end ? (int)(folder_end - s->record.path + 1) : 0, s->record.path);
    return completion_trace_create(&s->trace, &request, e);
}

/* Returns true if the trace and the target are on one file system: writing the trace then affects
   the measurement. */
static bool is_on_target(const struct session *s)
{
    struct stat of_trace, of_target;
    if (s->target.fd < 0 || stat(s->trace_path, &of_trace) || fstat(s->target.fd, &of_target))
        return false;
    return of_trace.st_dev == of_target.st_dev || of_trace.st_dev == of_target.st_rdev;
}

int session_trace_start(struct session *s, struct err *e)
{
    char workload[200];
    if (!s->trace)
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
    return completion_trace_start(s->trace, &source, e);
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
        snprintf(to->op, sizeof to->op, "%s", operation_names[io_counts_as(from->op)]);
    }
}

void session_trace_end(struct session *s)
{
    char text[80];
    keep_slowest(s);
    if (!s->trace)
        return;
    const struct completion_trace_counts n = completion_trace_close(s->trace);
    s->trace = NULL;
    s->trace_hangs = n.hangs;
    setting(s, "file", s->trace_path);
    snprintf(text, sizeof text, "%" PRIu64, n.written);
    setting(s, "requests", text);
    if (s->trace_cost[0])
        setting(s, "cost", s->trace_cost);
    if (n.late)
        contents_note(&s->contents, false,
                      "%" PRIu64 " slow requests began more than %d requests before their place in "
                      "the trace: readers show them later; worst.csv has the slowest with their "
                      "instants",
                      n.late, COMPLETION_TRACE_WINDOW);
    if (!n.lost && !n.error.code)
        return;
    snprintf(text, sizeof text, "no: %" PRIu64 " requests are missing", n.lost);
    setting(s, "complete", text);
    if (n.error.code)
        contents_note(&s->contents, true, "the trace is incomplete: %.200s", n.error.msg);
    else
        contents_note(&s->contents, true,
                      "the trace is incomplete: %" PRIu64 " of %" PRIu64
                      " requests came faster than they could be written",
                      n.lost, n.lost + n.written);
}
