/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latencies over time: periods of the wall clock in a fixed amount of memory, their percentiles
 * with intervals, and the size of a day of them in a record.
 */
#include "check.h"
#include "fake_io.h"
#include "record_bytes.h"

#include <sys/stat.h>

#include "run/record/record.h"
#include "run/result/internal.h"

#define SECOND UINT64_C(1000000000)
#define START  (UINT64_C(1795476325) * SECOND) /* 2026-11-23, at a whole second */

static struct arena arena;
static struct latency_history history;
static struct interval_histogram latency[OPERATIONS];

static void latency_clear(void)
{
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&latency[op]);
}

static void latency_count(enum request_command op, uint64_t ns, unsigned count)
{
    struct interval_histogram *h = &latency[op];
    h->min = ns < h->min ? ns : h->min;
    h->max = ns > h->max ? ns : h->max;
    h->count[histogram_bucket(ns)] += count;
}

static void history_begin(double asked_seconds)
{
    arena_reset(&arena, 0);
    CHECK_INT(latency_history_init(&history, HISTORY_PERIODS, OPERATION_SET_ALL, &arena), 0);
    CHECK(arena_mark(&arena) <= latency_history_bytes(HISTORY_PERIODS, OPERATION_SET_ALL));
    history.asked_ns = (uint64_t)(asked_seconds * 1e9 + 0.5);
}

static uint64_t history_ios(void)
{
    uint64_t ios = 0;
    for (size_t i = 0; i < history.count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            ios += histogram_ios(history.periods[i].latency[op]);
    return ios;
}

static void check_lengths(void)
{
    static const struct {
        double asked;
        uint64_t batch_ns, length_ns;
    } cases[] = {
        {0, SECOND / 20, SECOND / 10},   {0, SECOND / 10, SECOND / 10},
        {0, SECOND / 4, SECOND / 2},     {0, SECOND, SECOND},
        {0, SECOND * 5 / 2, 5 * SECOND}, {0, 10 * SECOND, 10 * SECOND},
        {1, SECOND / 20, SECOND},        {1, SECOND / 4, SECOND},
        {1, SECOND * 5 / 2, 5 * SECOND}, {0.3, SECOND / 20, 300000000},
        {3, 10 * SECOND, 30 * SECOND},   {60, SECOND, 60 * SECOND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        history_begin(cases[i].asked);
        latency_clear();
        latency_history_add(&history, START, cases[i].batch_ns, latency);
        CHECK_INT(history.count, 0); /* without I/O there is no period */
        latency_count(REQUEST_READ, 100, 1);
        latency_history_add(&history, START, cases[i].batch_ns, latency);
        CHECK_INT(history.count, 1);
        CHECK_INT(history.length_ns, cases[i].length_ns);
    }
}

/* Boundaries are at times of the wall clock, wherever the first batch begins. */
static void check_boundaries(void)
{
    history_begin(1);
    latency_clear();
    latency_count(REQUEST_READ, 50000, 3);
    for (unsigned i = 0; i < 40; i++) /* 0.7 s to 2.7 s after a whole second */
        latency_history_add(&history, START + SECOND * 7 / 10 + i * (SECOND / 20), SECOND / 20,
                            latency);
    CHECK_INT(history.count, 3);
    static const uint64_t ios[] = {6 * 3, 20 * 3, 14 * 3};
    for (size_t i = 0; i < history.count; i++) {
        const struct latency_period *p = &history.periods[i];
        CHECK_INT(p->number, START / SECOND + i);
        CHECK_INT(histogram_ios(p->latency[OPERATION_READ]), ios[i]);
        CHECK_INT(histogram_ios(p->latency[OPERATION_WRITE]), 0);
        CHECK_INT(p->end_ns - p->begin_ns, ios[i] / 3 * (SECOND / 20));
    }
    /* The clock is set back: the batch is added to the last period. */
    latency_history_add(&history, START - 5 * SECOND, SECOND / 20, latency);
    CHECK_INT(history.count, 3);
    CHECK_INT(history_ios(), 41 * 3);
}

/* A day of seconds with an hour's pause: nothing is lost, and memory does not grow. */
static void check_day(void)
{
    size_t before;
    history_begin(1);
    before = arena_mark(&arena);
    latency_clear();
    latency_count(REQUEST_READ, 80000, 2);
    latency_count(REQUEST_WRITE, 9000000, 1);
    for (unsigned i = 0; i < 86400; i++) {
        uint64_t at = START + i * SECOND + (i > 40000 ? 3600 * SECOND : 0);
        latency_history_add(&history, at, SECOND, latency);
        CHECK(history.count <= HISTORY_PERIODS);
    }
    CHECK_INT(arena_mark(&arena), before);
    CHECK(history.lengthened && history.length_ns % SECOND == 0);
    CHECK_INT(history_ios(), 86400 * 3);
    CHECK(history.count > HISTORY_PERIODS / 5);
    for (size_t i = 1; i < history.count; i++) {
        const struct latency_period *p = &history.periods[i];
        CHECK(p->number > history.periods[i - 1].number);
        CHECK(p->begin_ns >= p->number * history.length_ns);
        CHECK(p->end_ns <= (p->number + 1) * history.length_ns);
    }
}

static void check_gather(void)
{
    history_begin(0);
    latency_clear();
    latency_count(REQUEST_READ, 80000, 7);
    for (unsigned i = 0; i < 390; i++)
        latency_history_add(&history, START + i * (SECOND / 10), SECOND / 10, latency);
    latency_history_gather(&history, 7);
    CHECK_INT(history.length_ns, SECOND / 10);
    latency_history_gather(&history, 60); /* 70 periods in 1 s: merging steps of 7, 14 and 70 */
    CHECK_INT(history.length_ns, SECOND);
    CHECK_INT(history.count, 39);
    CHECK_INT(history_ios(), 390 * 7);
    latency_history_gather(&history, 1e9);
    CHECK(history.count >= 1 && history.count <= 2);
    CHECK_INT(history_ios(), 390 * 7);
}

/* ---- percentiles of periods ---- */

struct model {
    const char *name;
    double phi;      /* autocorrelation from one I/O to the next */
    double drift;    /* change of the level's logarithm from the first period to the last */
    double coverage; /* at least */
};

static double latency_of(struct random *random, const struct model *m, double *state)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    double normal = radius * cos(2 * M_PI * random_unit(random));
    *state = m->phi * *state + sqrt(1 - m->phi * m->phi) * normal;
    return *state;
}

/* Median and p99 of periods of 1,000 lognormal latencies: counts how often the intervals contain
   them. */
static void check_intervals(struct contents *c, const struct model *m)
{
    enum { RUNS = 40, PERIODS = 40, IOS = 1000 };
    static struct result r;
    struct random random;
    double given[2] = {0}, held[2] = {0};
    random_seed(&random, 17, (uint64_t)(m->phi * 100));
    for (int run = 0; run < RUNS; run++) {
        struct latency_history *h = &c->measurement.history;
        double state = 0;
        h->count = h->length_ns = 0;
        h->asked_ns = SECOND;
        for (unsigned i = 0; i < PERIODS; i++) {
            double level = m->drift * i / PERIODS;
            latency_clear();
            for (int k = 0; k < IOS; k++)
                latency_count(REQUEST_READ,
                              (uint64_t)(1e5 * exp(level + 0.4 * latency_of(&random, m, &state))),
                              1);
            latency_history_add(h, START + i * SECOND, SECOND, latency);
        }
        memset(&r, 0, sizeof r);
        latency_periods(c, &r);
        CHECK_INT(r.period_count, PERIODS);
        for (size_t i = 0; i < r.period_count; i++) {
            const struct result_percentile *of[] = {&r.periods[i].p50, &r.periods[i].p99};
            static const double quantiles[] = {0, 2.326348};
            for (int k = 0; k < 2; k++) {
                double truth = 1e5 * exp(m->drift * (double)i / PERIODS + 0.4 * quantiles[k]);
                if (isnan(of[k]->low))
                    continue;
                CHECK(of[k]->low <= of[k]->value && of[k]->value <= of[k]->high);
                given[k]++;
                held[k] += of[k]->low <= truth && truth <= of[k]->high;
            }
        }
    }
    for (int k = 0; k < 2; k++)
        printf("%-16s %s: given %.3f, coverage %.3f\n", m->name, k ? "p99" : "p50",
               given[k] / (RUNS * PERIODS), held[k] / given[k]);
    CHECK(given[0] > 0.99 * RUNS * PERIODS);
    for (int k = 0; k < 2; k++)
        CHECK(given[k] < 100 || held[k] / given[k] >= m->coverage);
}

static void check_percentiles(void)
{
    static const struct model models[] = {
        {"independent", 0, 0, 0.94}, {"AR(1) .5", 0.5, 0, 0.94},        {"AR(1) .9", 0.9, 0, 0.93},
        {"drift", 0, 1, 0.94},       {"AR(1) .9, drift", 0.9, 1, 0.93},
    };
    static struct contents c;
    struct err e;
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&c, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&c.plan);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        check_intervals(&c, &models[i]);
    contents_free(&c);
}

/* ---- I/Os that span periods ---- */

/* A stall of 3.5 s among I/Os of 1 ms: its four I/Os count in the periods that they span, each once
   in all; time before the round began does not count. */
static void check_weights(void)
{
    static struct contents c;
    static struct result r;
    struct err e;
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&c, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&c.plan);
    struct latency_history *h = &c.measurement.history;
    h->asked_ns = SECOND;
    for (unsigned i = 0; i < 12; i++) {
        latency_clear();
        if (i < 4 || i > 6)
            latency_count(REQUEST_READ, 1000000, 996);
        if (i == 7)
            latency_count(REQUEST_READ, 3500000000, 4);
        latency_history_add(h, START + i * SECOND, SECOND, latency);
    }
    latency_periods(&c, &r);
    CHECK_INT(r.period_count, 12);
    double weight = 0;
    for (size_t i = 0; i < r.period_count; i++) {
        const struct result_period *p = &r.periods[i];
        CHECK(p->begin_seconds == (double)i);
        weight += p->weight;
        bool stalled = i >= 4 && i <= 6;
        CHECK_INT(p->n, stalled ? 0 : i == 7 ? 1000 : 996);
        CHECK(stalled ? fabs(p->p50.value / 3.5e9 - 1) < 0.016
                      : fabs(p->p50.value / 1e6 - 1) < 0.016);
        CHECK(fabs(p->max / (i >= 3 && i <= 7 ? 3.5e9 : 1e6) - 1) < 1e-9);
    }
    CHECK(fabs(weight - (9 * 996 + 4)) < 1e-6);
    CHECK(fabs(r.periods[6].weight - 4 / 3.5) < 0.02);
    CHECK(fabs(r.periods[7].weight - 996 - 2 / 3.5) < 0.02);
    CHECK(fabs(r.periods[4].weight - 4 * 0.875 / 3.5) < 0.02);
    CHECK(fabs(r.periods[3].weight - 996 - 4 * 0.125 / 3.5) < 0.02);

    /* The same I/Os right after a break: nothing is known about the time before. */
    latency_clear();
    latency_count(REQUEST_READ, 3500000000, 4);
    latency_history_add(h, START + 40 * SECOND, SECOND, latency);
    memset(&r, 0, sizeof r);
    latency_periods(&c, &r);
    CHECK_INT(r.period_count, 13);
    CHECK(r.periods[12].begin_seconds == 40);
    contents_free(&c);
}

/* ---- the record ---- */

/* Times are restored whatever is between the batches, and the periods with them. */
static void check_record(void)
{
    static struct contents live, loaded;
    struct record_writer w;
    struct random random;
    struct err e;
    char path[300];
    test_path(path, sizeof path, "history");
    unlink(path);
    random_seed(&random, 3, 0);
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    struct plan plan;
    plan_init(&plan);
    plan.statistics.period_seconds = 2;
    contents_set_plan(&live, &plan);
    record_plan(&w, &plan);
    live.measurement.slice_seconds = 0.1;
    record_slice_length(&w, 0.1);
    CHECK_INT(measurement_begin_round(&live.measurement, false, 0, &e), 0);
    record_begin_round(&w, &live.measurement.rounds[0]);
    for (unsigned i = 0; i < 2000; i++) {
        struct batch batch = random_batch(&random);
        batch.wall_ns = START + i * (SECOND / 2) + (i > 700 ? 13 * SECOND / 4 : 0);
        if (i >= 1200 && i < 1210)
            batch.wall_ns = 0;
        measurement_add(&live.measurement, &batch);
        record_batch(&w, &batch);
    }
    live.ended = true;
    record_end(&w, &live);
    record_close(&w);
    CHECK_INT(contents_init(&loaded, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(record_read(&loaded, path, &e), 0);
    const struct latency_history *a = &live.measurement.history, *b = &loaded.measurement.history;
    CHECK(a->count > 100);
    CHECK_INT(b->count, a->count);
    CHECK_INT(b->length_ns, a->length_ns);
    for (size_t i = 0; i < a->count; i++) {
        const struct latency_period *x = &a->periods[i], *y = &b->periods[i];
        CHECK(x->number == y->number && x->begin_ns == y->begin_ns && x->end_ns == y->end_ns);
        CHECK(x->since_ns == y->since_ns && same_histograms(x->latency, y->latency));
    }
    CHECK(loaded.plan.statistics.period_seconds == 2);
    unlink(path);
    contents_free(&live);
    contents_free(&loaded);
}

/* An hour of a fast target at 1 s: 200,000 I/Os/s, of two operations, over three decades of
   latency. A day of it takes less than 200 MB. */
static void check_record_of_a_day(void)
{
    enum { SECONDS = 3600, IOS = 200000, KINDS = 8 };
    static struct contents c;
    static struct batch kinds[KINDS];
    struct record_writer w;
    struct random random;
    struct err e;
    struct stat st;
    char path[300];
    test_path(path, sizeof path, "day");
    unlink(path);
    random_seed(&random, 7, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        struct batch *b = &kinds[kind];
        const struct model m = {"", 0, 0, 0};
        double state = 0;
        batch_clear(b);
        b->slice_count = INTERVAL_SLICES;
        for (int k = 0; k < IOS; k++) {
            double ns = 1e5 * exp(0.4 * latency_of(&random, &m, &state));
            if (random_below(&random, 1000) == 0)
                ns *= 100;
            enum request_command op = random_below(&random, 3) ? REQUEST_READ : REQUEST_WRITE;
            count_io(&b->slices[k % INTERVAL_SLICES], &b->latency[op], op, (uint64_t)ns, 4096);
        }
        for (int i = 0; i < INTERVAL_SLICES; i++) {
            b->slices[i].asked_bytes = 4096 * IOS / INTERVAL_SLICES;
            b->slices[i].busy_ns = SECOND / INTERVAL_SLICES - random_below(&random, 1000000);
        }
    }
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&c, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    c.measurement.slice_seconds = 0.2;
    record_slice_length(&w, 0.2);
    CHECK_INT(measurement_begin_round(&c.measurement, false, 0, &e), 0);
    size_t before = arena_mark(&arena);
    for (unsigned i = 0; i < SECONDS; i++) {
        kinds[i % KINDS].wall_ns = START + i * SECOND;
        measurement_add(&c.measurement, &kinds[i % KINDS]);
        record_batch(&w, &kinds[i % KINDS]);
    }
    CHECK_INT(arena_mark(&arena), before);
    record_close(&w);
    CHECK_INT(stat(path, &st), 0);
    double day = (double)st.st_size / SECONDS * 86400;
    printf("record: %.0f bytes an interval, %.1f MB a day\n", (double)st.st_size / SECONDS,
           day / 1e6);
    CHECK(day < 200e6);
    unlink(path);
    contents_free(&c);
}

int main(void)
{
    struct err e;
    CHECK_INT(
        arena_init_untouched(
            &arena, 2 * contents_bytes(OPERATION_SET_ALL, false) + 2 * RECORD_BUFFER + 65536, &e),
        0);
    check_lengths();
    check_boundaries();
    check_day();
    check_gather();
    check_percentiles();
    check_weights();
    check_record();
    check_record_of_a_day();
    arena_free(&arena);
    return check_result();
}
