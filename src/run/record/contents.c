/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocates the memory of a session's contents, and keeps its notes. */
#include "run/record/contents.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stat/estimate/percentile.h"

enum { CONTENTS_SERIES = sizeof(struct contents_series) / sizeof(double *) };
enum { TIMING_SERIES = sizeof((struct contents *)0)->timing_series / sizeof(double *) };

static size_t scratch_bytes(void)
{
    size_t judging = judge_scratch_bytes(MEASUREMENT_SLICES);
    size_t percentiles = percentile_scratch_bytes(MEASUREMENT_STRETCHES + 1);
    size_t periods = arena_bytes(4, sizeof(struct histogram));
    percentiles = percentiles > periods ? percentiles : periods;
    return judging > percentiles ? judging : percentiles;
}

size_t contents_bytes(unsigned operations, bool timed)
{
    size_t bytes_of_timed = interval_timing_bytes(1, operations) +
                            arena_bytes(OPERATIONS + 1, sizeof(struct histogram)) +
                            arena_bytes(HISTOGRAM_BUCKETS, sizeof(uint64_t)) +
                            arena_bytes(1, sizeof(struct fidelity)) +
                            TIMING_SERIES * arena_bytes(MEASUREMENT_SLICES, sizeof(double));
    return (timed ? bytes_of_timed : 0) + measurement_bytes(operations, timed) + watch_bytes() +
           CONTENTS_SERIES * arena_bytes(MEASUREMENT_SLICES, sizeof(double)) +
           arena_bytes(HISTOGRAM_BUCKETS + 1, sizeof(double)) +
           OPERATIONS * arena_bytes(HISTOGRAM_BUCKETS, sizeof(uint64_t)) +
           arena_bytes(OPERATIONS, sizeof(struct histogram)) +
           arena_bytes(CONTENTS_PERIODS * HISTORY_PERIODS, sizeof(struct result_period)) +
           arena_bytes(scratch_bytes(), 1);
}

int contents_init(struct contents *c, unsigned operations, bool timed, struct arena *arena,
                  struct err *e)
{
    memset(c, 0, sizeof *c);
    c->overhead = (struct overhead){NAN, NAN, NAN, NAN};
    c->block_layer = (struct block_layer){{NAN, NAN, NAN}, {NAN, NAN, NAN}, 0};
    bool full = measurement_init(&c->measurement, operations, timed, arena) != 0;
    if (timed) {
        full |= !(c->batch_timing = interval_timing_new(1, operations, arena));
        full |= !(c->issue_error = arena_alloc(arena, OPERATIONS + 1, sizeof *c->issue_error));
        full |= !(c->issue_error_counts = arena_alloc(arena, HISTOGRAM_BUCKETS, sizeof(uint64_t)));
        full |= !(c->fidelity = arena_alloc(arena, 1, sizeof *c->fidelity));
        for (int i = 0; i < TIMING_SERIES; i++)
            full |= !(c->timing_series[i] = arena_alloc(arena, MEASUREMENT_SLICES, sizeof(double)));
        c->service = full ? NULL : c->issue_error + 1;
    }
    full |= watch_init(&c->watch, arena) != 0;
    struct contents_series *s = &c->series;
    double **const series[CONTENTS_SERIES] = {&s->headline, &s->numerator, &s->denominator,
                                              &s->iops,     &s->bandwidth, &s->response_time};
    for (int i = 0; i < CONTENTS_SERIES; i++)
        full |= !(*series[i] = arena_alloc(arena, MEASUREMENT_SLICES, sizeof(double)));
    full |= !(c->histogram_edges = arena_alloc(arena, HISTOGRAM_BUCKETS + 1, sizeof(double)));
    for (int op = 0; op < OPERATIONS; op++)
        full |=
            !(c->histogram_counts[op] = arena_alloc(arena, HISTOGRAM_BUCKETS, sizeof(uint64_t)));
    full |= !(c->latency = arena_alloc(arena, OPERATIONS, sizeof *c->latency));
    full |=
        !(c->periods = arena_alloc(arena, CONTENTS_PERIODS * HISTORY_PERIODS, sizeof *c->periods));

    /* The judge's scratch memory is an arena within the arena: the last part of it. */
    c->scratch.capacity = c->scratch.untouched = scratch_bytes();
    full |= !(c->scratch.base = arena_alloc(arena, c->scratch.capacity, 1));
    return full ? err_no_memory(e, "the measurement") : 0;
}

static size_t periods_with_jobs(unsigned jobs)
{
    return CONTENTS_PERIODS * HISTORY_PERIODS + jobs * CONTENTS_JOB_PERIODS;
}

size_t contents_jobs_bytes(unsigned jobs, unsigned operations)
{
    return jobs ? job_histories_bytes(jobs, operations) +
                      arena_bytes(periods_with_jobs(jobs), sizeof(struct result_period))
                : 0;
}

int contents_keep_jobs(struct contents *c, unsigned jobs, unsigned operations, struct arena *arena,
                       struct err *e)
{
    if (!jobs)
        return 0;
    c->periods = arena_alloc(arena, periods_with_jobs(jobs), sizeof *c->periods);
    if (!c->periods || job_histories_init(&c->measurement.jobs, jobs, operations, arena))
        return err_no_memory(e, "the latencies of %u jobs", jobs);
    return 0;
}

size_t contents_periods_bytes(size_t periods)
{
    return latency_history_bytes(periods, OPERATION_SET_ALL) +
           arena_bytes(CONTENTS_PERIODS * periods, sizeof(struct result_period));
}

int contents_keep_periods(struct contents *c, size_t periods, struct arena *arena, struct err *e)
{
    c->periods = arena_alloc(arena, CONTENTS_PERIODS * periods, sizeof *c->periods);
    if (!c->periods ||
        latency_history_init(&c->measurement.history, periods, OPERATION_SET_ALL, arena))
        return err_no_memory(e, "%zu intervals", periods);
    return 0;
}

void contents_set_plan(struct contents *c, const struct plan *plan)
{
    c->plan = *plan;
    c->measurement.history.asked_ns = (uint64_t)(plan->statistics.period_seconds * 1e9 + 0.5);
    contents_watch_clauses(c, plan->ending.sla);
    if (!c->measurement.kinds.count &&
        kind_stretches_init(&c->measurement.kinds, plan_request_kinds(plan).count))
        contents_note(c, true, "there is no memory to keep the priorities of requests apart");
}

void contents_watch_clauses(struct contents *c, const char *sla)
{
    struct clauses limits;
    struct err ignored;
    if (!sla[0] || clauses_parse_limits(&limits, sla, &ignored))
        return;
    for (size_t i = 0; i < limits.count; i++)
        measurement_watch_clause(&c->measurement, &limits.clause[i]);
}

void contents_free(struct contents *c)
{
    inventory_free(&c->hardware);
    kind_stretches_free(&c->measurement.kinds);
}

void contents_note(struct contents *c, bool warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result_notes_add(c->notes, RESULT_NOTES_MAX, &c->note_count, &c->notes_left_out, warning,
                     format, arguments);
    va_end(arguments);
}

void contents_clock(struct contents *c, const struct clock_error *seen)
{
    const struct clock_error *worst = &c->clock;
    bool first = !worst->source[0], unknown = worst->error_ns < 0;
    if (first || (!unknown && (seen->error_ns < 0 || seen->error_ns > worst->error_ns)))
        c->clock = *seen;
}

void contents_suspension(struct contents *c, const struct suspended *suspended)
{
    if (c->suspension_count < CONTENTS_SUSPENSIONS)
        c->suspensions[c->suspension_count++] = *suspended;
    else
        c->suspensions[CONTENTS_SUSPENSIONS - 1].seconds += suspended->seconds;
}
