/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests with due times from batches to rows: folding loses nothing, a record restores them; and
 * rows, phases and the saturation point of simulated measurements are correct.
 */
#include "check.h"
#include "fake_io.h"

#include <unistd.h>

#include "run/record/record.h"
#include "run/result/internal.h"
#include "run/result/never_issued.h"
#include "run/result/session_judgement.h"

#define SLICE 0.01

static struct arena arena;
static struct interval_timing *timing; /* of the batch being made */

/* Adds a slice of `ios` requests, each issued 700 ns late and served in 50 us. */
static void put_slice(struct batch *b, unsigned i, uint64_t ios, uint64_t late_ns, uint64_t backlog)
{
    struct slice_op *op = &b->slices[i].op[OPERATION_READ];
    op->ios = ios;
    op->bytes = ios * 4096;
    op->latency_ns = ios * (50000 + late_ns);
    timing->slices[i] = (struct slice_timing){.issued = ios,
                                              .service_ns = {[OPERATION_READ] = ios * 50000},
                                              .in_flight_ns = ios * 50000,
                                              .backlog_max = backlog,
                                              .late_max_ns = late_ns};
    b->latency[OPERATION_READ].count[histogram_bucket(50000 + late_ns)] += (uint32_t)ios;
    timing->service[OPERATION_READ]->count[histogram_bucket(50000)] += (uint32_t)ios;
    timing->issue_error.count[histogram_bucket(late_ns)] += (uint32_t)ios;
    struct interval_histogram *all[] = {&b->latency[OPERATION_READ],
                                        timing->service[OPERATION_READ], &timing->issue_error};
    uint64_t values[] = {50000 + late_ns, 50000, late_ns};
    for (int k = 0; k < 3; k++) {
        all[k]->min = values[k] < all[k]->min ? values[k] : all[k]->min;
        all[k]->max = values[k] > all[k]->max ? values[k] : all[k]->max;
    }
}

static void check_same_timing(const struct stretch_timing *a, const struct stretch_timing *b)
{
    CHECK(!memcmp(&a->issue_error, &b->issue_error, sizeof a->issue_error));
    for (int op = 0; op < OPERATIONS; op++)
        CHECK(!memcmp(a->service[op], b->service[op], sizeof *a->service[op]));
}

static struct batch empty_batch(void)
{
    struct batch b = {.timing = timing};
    batch_clear(&b);
    b.slice_count = INTERVAL_SLICES;
    for (unsigned k = 0; k < INTERVAL_SLICES; k++)
        b.slices[k].busy_ns = (uint64_t)(SLICE * 1e9) / 2;
    return b;
}

/* Adds `count` batches whose slices have `ios` requests each; the backlog grows by `growth` per
   slice. */
static void feed(struct contents *c, struct record_writer *w, unsigned count, uint64_t ios,
                 uint64_t late_ns, uint64_t growth)
{
    uint64_t backlog = 0;
    for (unsigned i = 0; i < count; i++) {
        struct batch b = empty_batch();
        for (unsigned k = 0; k < INTERVAL_SLICES; k++, backlog += growth)
            put_slice(&b, k, ios, late_ns, backlog);
        for (unsigned k = 0; k < INTERVAL_SLICES; k++)
            b.slices[k].asked_bytes = ios * 4096;
        measurement_add(&c->measurement, &b);
        if (w)
            record_batch(w, &b);
    }
}

static void begin(struct contents *c)
{
    struct err e = {0};
    CHECK_INT(contents_init(c, OPERATION_SET_ALL, true, &arena, &e), 0);
    plan_init(&c->plan);
    c->plan.rate_iops = 5000;
    c->measurement.slice_seconds = SLICE;
    CHECK_INT(measurement_begin_round(&c->measurement, false, 0, &e), 0);
}

static double value_of(const struct result *r, enum metric_id metric)
{
    const struct result_row *row = result_find(r, metric, "all");
    return row ? row->value : NAN;
}

static struct result rows_of(struct contents *c)
{
    static struct judged j;
    static struct result r;
    memset(&r, 0, sizeof r);
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        c->histogram_edges[i] = histogram_edge(i);
    judge_session(c, &j);
    timing_rows(c, &j, &r);
    return r;
}

static void check_kept_up(void)
{
    static struct contents c;
    static struct result r;
    size_t mark = arena_mark(&arena);
    begin(&c);
    feed(&c, NULL, 100, 50, 700, 0);
    r = rows_of(&c);
    CHECK_NEAR(value_of(&r, METRIC_SERVICE_TIME), 50000, 1e-12);
    CHECK_NEAR(value_of(&r, METRIC_ISSUE_ERROR_P50), 700, 0.01);
    CHECK_NEAR(value_of(&r, METRIC_ISSUE_ERROR_MAX), 700, 1e-12);
    CHECK_NEAR(value_of(&r, METRIC_ISSUED_1US), 1, 1e-12);
    CHECK_NEAR(value_of(&r, METRIC_QUEUE_LENGTH), 50 * 50e-6 / SLICE, 1e-9);
    CHECK_NEAR(value_of(&r, METRIC_RATE_ASKED), 5000, 1e-12);
    CHECK_INT((long long)value_of(&r, METRIC_BACKLOG), 0);
    CHECK(isnan(value_of(&r, METRIC_SATURATION)));
    CHECK(isnan(value_of(&r, METRIC_BACKLOG_GROWTH)));
    CHECK(r.has_issue_error);
    CHECK_INT(r.issue_error.counts[histogram_bucket(700)], 100 * INTERVAL_SLICES * 50);
    arena_reset(&arena, mark);
}

/* 5,000/s are due, 4,000/s are completed: 10 more wait after each slice. */
static void check_saturated(void)
{
    static struct contents c;
    static struct result r;
    size_t mark = arena_mark(&arena);
    begin(&c);
    feed(&c, NULL, 100, 40, 20000000, 10);
    c.timing.saturated = true;
    c.timing.end_backlog = 5000;
    c.timing.end_late_ns = 1000000000;
    r = rows_of(&c);
    CHECK_NEAR(value_of(&r, METRIC_BACKLOG), 5000, 1e-12);
    CHECK_NEAR(value_of(&r, METRIC_BACKLOG_GROWTH), 1000, 1e-9);
    CHECK_NEAR(value_of(&r, METRIC_SATURATION), 4000, 1e-9);
    CHECK_NEAR(value_of(&r, METRIC_ISSUED_1MS), 0, 1e-12);
    arena_reset(&arena, mark);
}

/* Requests that were due and never issued count as later than all others. */
static void check_never_issued(void)
{
    static struct contents c;
    struct err e = {0};
    size_t mark = arena_mark(&arena);
    begin(&c);
    feed(&c, NULL, 10, 18, 700, 0); /* 900 of 1000 */
    measurement_end_round(&c.measurement, 0.5, &c.measurement.rounds[0].total);
    c.timing.never_issued = 100;
    struct due_requests due = due_requests_of(&c);
    CHECK_NEAR(due.due, 1000, 1e-12);
    CHECK_NEAR(due_share_of_completed(&due, 0.81), 0.9, 1e-12);
    CHECK(due_share_of_completed(&due, 0.9) <= 1 + 1e-12);
    CHECK(due_share_of_completed(&due, 0.91) > 1);
    CHECK(!due_is_backlog(&c));
    c.timing.never_issued = 101;
    CHECK(due_is_backlog(&c));
    /* trial rounds count neither way */
    CHECK_INT(measurement_begin_round(&c.measurement, true, 1, &e), 0);
    feed(&c, NULL, 10, 18, 700, 0);
    due = due_requests_of(&c);
    CHECK_NEAR(due.due, 1001, 1e-12);
    /* nothing completed at all */
    due = (struct due_requests){.due = 5, .never_issued = 5};
    CHECK(due_share_of_completed(&due, 0.01) > 1);
    due = (struct due_requests){.due = 5};
    CHECK_NEAR(due_share_of_completed(&due, 0.99), 0.99, 1e-15);
    arena_reset(&arena, mark);
}

static void check_phases(void)
{
    static struct contents c;
    static struct result r;
    size_t mark = arena_mark(&arena);
    begin(&c);
    c.plan.rate_iops = 0;
    snprintf(c.plan.phases, sizeof c.plan.phases, "1000:1s,5k:2s");
    feed(&c, NULL, 20, 10, 300, 0);       /* 1 s of 1,000 a second */
    feed(&c, NULL, 40, 40, 30000000, 10); /* 2 s in which 4,000 of 5,000 are done */
    r = rows_of(&c);
    CHECK_INT((long long)r.phase_count, 2);
    CHECK_NEAR(r.phases[0].iops, 1000, 1e-9);
    CHECK_NEAR(r.phases[0].response_time_ns, 50300, 1e-9);
    CHECK(r.phases[0].kept_up);
    CHECK_NEAR(r.phases[1].begin_seconds, 1, 1e-12);
    CHECK_NEAR(r.phases[1].iops, 4000, 1e-9);
    CHECK_NEAR(r.phases[1].rate_end, 5000, 1e-12);
    CHECK_NEAR(r.phases[1].backlog, 1990, 1e-12);
    CHECK(!r.phases[1].kept_up);
    arena_reset(&arena, mark);
}

/* Enough slices to fold twice: the sums and the largest backlog stay the same. */
static void check_folding_and_record(void)
{
    static struct contents live, back;
    struct record_writer w;
    struct err e = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/timing.%d", (int)getpid());
    unlink(path);
    size_t mark = arena_mark(&arena);
    begin(&live);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    record_plan(&w, &live.plan);
    record_slice_length(&w, SLICE);
    record_begin_round(&w, &live.measurement.rounds[0]);
    feed(&live, &w, 4000, 7, 900, 1);
    live.timing = (struct timing_totals){.saturated = true,
                                         .never_issued = 30000,
                                         .end_backlog = 20000,
                                         .end_backlog_at_least = true,
                                         .end_late_ns = 77,
                                         .no_slot_ns = 99};
    live.verdict = VERDICT_SATURATED;
    record_end(&w, &live);
    record_close(&w);

    const struct measurement *m = &live.measurement;
    CHECK(m->slice_fold == 2);
    uint64_t issued = m->partial_timing.issued, most = m->partial_timing.backlog_max;
    for (size_t i = 0; i < m->slice_count; i++) {
        issued += m->timings[i].issued;
        most = m->timings[i].backlog_max > most ? m->timings[i].backlog_max : most;
    }
    CHECK_INT(issued, 4000 * INTERVAL_SLICES * 7);
    CHECK_INT(most, 4000 * INTERVAL_SLICES - 1);

    CHECK_INT(contents_init(&back, OPERATION_SET_ALL, true, &arena, &e), 0);
    CHECK_INT(record_read(&back, path, &e), 0);
    CHECK_INT(back.measurement.slice_count, m->slice_count);
    CHECK(!memcmp(back.measurement.timings, m->timings, m->slice_count * sizeof *m->timings));
    CHECK_INT(measurement_stretches(&back.measurement), measurement_stretches(m));
    for (size_t i = 0; i < measurement_stretches(m); i++)
        check_same_timing(measurement_stretch(m, i)->timing,
                          measurement_stretch(&back.measurement, i)->timing);
    CHECK(back.timing.saturated && back.timing.end_backlog_at_least);
    CHECK_INT(back.timing.end_backlog, 20000);
    CHECK_INT(back.timing.never_issued, 30000);
    CHECK(!back.timing.never_issued_at_least);
    CHECK_INT(back.timing.end_late_ns, 77);
    CHECK_INT(back.timing.no_slot_ns, 99);
    CHECK_INT(back.verdict, VERDICT_SATURATED);
    unlink(path);
    arena_reset(&arena, mark);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena,
                         2 * contents_bytes(OPERATION_SET_ALL, true) + RECORD_BUFFER +
                             interval_timing_bytes(1, OPERATION_SET_ALL) + 65536,
                         &e),
              0);
    timing = interval_timing_new(1, OPERATION_SET_ALL, &arena);
    CHECK(timing != NULL);
    check_kept_up();
    check_saturated();
    check_never_issued();
    check_phases();
    check_folding_and_record();
    arena_free(&arena);
    return check_result();
}
