/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals of a recording's percentiles: the time intervals that they are computed from get longer
 * without losing an I/O; for simulated response times they contain the truth; each operation has
 * them, and where there is none, the row says why.
 */
#include "recording_fixture.h"
#include "tests/unit/simulated.h"
#include "tests/unit/simulations.h"

static void add(struct recorder *r, enum recording_op op, uint64_t end_ns, uint64_t response_ns)
{
    const struct level_io io = {
        .op = op, .begin_ns = end_ns - response_ns, .end_ns = end_ns, .asked = 4096, .moved = 4096};
    level_add(&r->calls, &io);
    stretches_add(&r->stretches, &io);
}

static uint64_t held_by(const struct stretches *s, enum recording_op op)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t bucket = 0; bucket <= HISTOGRAM_BUCKETS; bucket++)
            sum += s->of[i][op].bucket[bucket];
    return sum;
}

static void test_growth(void)
{
    struct recorder *r = fixture_recorder(&fixture_of_program);
    struct stretches *s = &r->stretches;
    const uint64_t first = s->length_ns, second = 1000000000, begin = UINT64_C(1) << 44;
    s->begin_ns = begin;
    add(r, RECORDING_READ, begin, 100); /* in flight when it began */
    for (uint64_t i = 0; i < 1000; i++)
        add(r, i % 4 ? RECORDING_READ : RECORDING_WRITE, begin + i * first / 8, 1000 + i);
    CHECK_INT(s->length_ns, first);
    CHECK_INT(s->count, 125);
    add(r, RECORDING_READ, begin + STRETCHES_MAX * first, 50000);
    CHECK_INT(s->length_ns, 2 * first);
    CHECK_INT(s->count, STRETCHES_MAX / 2 + 1);
    CHECK_INT(s->of[STRETCHES_MAX / 2][RECORDING_READ].bucket[histogram_bucket(50000)], 1);
    add(r, RECORDING_FLUSH, begin + 3600 * second, UINT64_C(1) << 43); /* beyond the range */
    CHECK(s->length_ns * STRETCHES_MAX > 3600 * second);
    CHECK(s->length_ns * STRETCHES_MAX <= 2 * 3600 * second);
    CHECK_INT(held_by(s, RECORDING_READ), 752);
    CHECK_INT(held_by(s, RECORDING_WRITE), 250);
    CHECK_INT(s->of[s->count - 1][RECORDING_FLUSH].bucket[HISTOGRAM_BUCKETS], 1);
    recorder_free(r);
}

enum { IOS = 20000, GAP_NS = 2000, RUNS = SIMULATED_RUNS(60) };

/* Response times exp(x) us, x normal with that autocorrelation, so that the percentile is known. */
static void test_coverage(double rho, double share, double quantile, int given_least)
{
    static double x[IOS];
    int given = 0, held = 0;
    for (int run = 0; run < RUNS; run++) {
        uint64_t seed = (uint64_t)run * 1000 + (uint64_t)(1000 * (rho + share));
        struct recorder *r = fixture_recorder(&fixture_of_program);
        simulated_ar1(x, IOS, rho, &seed);
        for (size_t i = 0; i < IOS; i++)
            add(r, RECORDING_READ, (i + 100) * GAP_NS,
                (uint64_t)(1e4 * exp(0.3 * x[i] * sqrt(1 - rho * rho))));
        stretches_end(&r->stretches);
        struct percentile p = stretches_percentile(
            &r->stretches, RECORDING_READ, &r->calls.response[RECORDING_READ], share, &r->arena);
        double truth = 1e4 * exp(0.3 * quantile);
        given += p.lack == PERCENTILE_LACKS_NOTHING;
        held += p.low <= truth && truth <= p.high;
        recorder_free(r);
    }
    printf("autocorrelation %g, p%g: given %d, held %d of %d\n", rho, 100 * share, given, held,
           RUNS);
    CHECK_COUNT(given >= given_least);
    CHECK_COUNT(held >= 0.9 * given);
}

static const struct result_row *row_of(const struct recorder *r, enum metric_id metric,
                                       const char *op)
{
    return result_find(&r->recording.result, metric, op);
}

static void test_rows(void)
{
    struct recorder *r = fixture_recorder(&fixture_of_program);
    uint64_t seed = 4;
    for (uint64_t i = 0; i < IOS; i++) {
        double response = -1e4 * log(1 - simulated_uniform(&seed));
        add(r, i % 20 ? RECORDING_READ : RECORDING_WRITE, (i + 100) * 50000,
            1 + (uint64_t)response);
    }
    r->events = 2 * IOS;
    fixture_report(r);
    const char *const ops[] = {"read", "write", "all"};
    for (size_t i = 0; i < 3; i++) {
        const struct result_row *p50 = row_of(r, METRIC_LATENCY_P50, ops[i]);
        const struct result_row *p9999 = row_of(r, METRIC_LATENCY_P9999, ops[i]);
        CHECK(p50 && p50->low < p50->value && p50->value < p50->high && !p50->note[0]);
        CHECK(p50 && p50->effective_n > 0.5 * (double)p50->n);
        CHECK_NEAR(p50 ? p50->confidence : NAN, RECORDING_CONFIDENCE, 1e-12);
        CHECK(p9999 && p9999->value > 0 && isnan(p9999->low) && isnan(p9999->confidence));
        CHECK(p9999 && strstr(p9999->note, "no interval yet: too few independent samples; about"));
    }
    CHECK_INT(row_of(r, METRIC_LATENCY_P50, "all")->n, IOS);
    const struct recording_numbers *reads = &r->recording.calls.op[RECORDING_READ];
    CHECK_NEAR(row_of(r, METRIC_LATENCY_P99, "read")->value,
               reads->percentile_ns[RECORDING_METRIC_LATENCY_P99], 1e-12);
    recorder_free(r);

    /* Rates are unknown, and so is whether the slow ones were lost. */
    r = fixture_recorder(&fixture_of_program);
    for (uint64_t i = 0; i < IOS; i++)
        add(r, RECORDING_READ, (i + 100) * 50000, 1000 + i % 100);
    r->events = IOS;
    r->lost = IOS / 10;
    fixture_report(r);
    const struct result_row *p50 = row_of(r, METRIC_LATENCY_P50, "read");
    CHECK(p50 && p50->value > 0 && isnan(p50->low) && strstr(p50->note, "events were lost"));
    recorder_free(r);
}

int main(void)
{
    test_growth();
    test_coverage(0, 0.5, 0, RUNS);
    test_coverage(0, 0.99, 2.3263479, RUNS);
    test_coverage(0.9, 0.5, 0, RUNS);
    test_coverage(0.9, 0.99, 2.3263479, RUNS * 9 / 10);
    test_rows();
    return check_result();
}
