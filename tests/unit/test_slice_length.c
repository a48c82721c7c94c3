/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The length of time slices, from the rate, the intervals and the length of a session. */
#include "check.h"

#include "run/session/running.h"
#include "run/session/slice_length.h"

static struct plan plan;
static struct measurement measurement;

static const struct plan *with(const char *sla, double interval, double runtime)
{
    plan_init(&plan);
    snprintf(plan.ending.sla, sizeof plan.ending.sla, "%s", sla);
    plan.statistics.period_seconds = interval;
    plan.ending.runtime_seconds = runtime;
    return &plan;
}

static void test_rate(void)
{
    CHECK_NEAR(slice_for_rate(100000), 0.01, 1e-9);
    CHECK_NEAR(slice_for_rate(1000), 0.01, 1e-9);
    CHECK_NEAR(slice_for_rate(999), 0.02, 1e-9);
    CHECK_NEAR(slice_for_rate(100), 0.1, 1e-9);
    CHECK_NEAR(slice_for_rate(21), 0.5, 1e-9);
    CHECK_NEAR(slice_for_rate(0), 2, 1e-9);
    CHECK_NEAR(slice_to_fit(0.5, 21, 100), 0.5, 1e-9);
    CHECK_NEAR(slice_to_fit(0.5, 21, 3), 0.2, 1e-9); /* four I/Os a slice */
    CHECK_NEAR(slice_to_fit(0.5, 21, 0.3), 0.2, 1e-9);
}

/* Five slices are a batch, and whole batches an interval. */
static void test_intervals(void)
{
    CHECK_NEAR(slice_for_clauses(2, with("iops>5", 0, 0)), 2, 1e-9);
    CHECK_NEAR(slice_for_clauses(2, with("p99<5us per 10s in 95%", 0, 0)), 2, 1e-9);
    CHECK_NEAR(slice_for_clauses(1, with("p99<5us per 1s in 95%", 0, 0)), 0.2, 1e-9);
    CHECK_NEAR(slice_for_clauses(1, with("p99<5us per 300ms in 95%", 0, 0)), 0.02, 1e-9);
    CHECK_NEAR(slice_for_clauses(1, with("p99<5us per 100ms in 95%", 0, 0)), 0.02, 1e-9);
    CHECK_NEAR(slice_for_clauses(0.01, with("p99<5us per 10s in 95%", 0, 0)), 0.01, 1e-9);
    with("p99<5us per 4s in 95%, iops>5 per 6s in 9%, errors=0", 0, 0); /* 2 s divide both */
    CHECK_NEAR(slice_for_clauses(2, &plan), 0.2, 1e-9);
}

static void test_length(void)
{
    CHECK_NEAR(slice_for_length(0.01, with("", 0, 60)), 0.01, 1e-9);
    CHECK_NEAR(slice_for_length(0.01, with("", 0, 86400)), 0.2, 1e-9);
    CHECK_NEAR(slice_for_length(0.01, with("", 0.1, 86400)), 0.02, 1e-9);
    CHECK_NEAR(slice_for_length(0.01, with("p99<5us per 300ms in 95%", 0, 86400)), 0.02, 1e-9);
    CHECK_NEAR(slice_for_length(0.01, with("p99<5us per 10s in 95%", 0, 86400)), 2, 1e-9);
}

/* Never longer than what the measurement keeps together, or than the intervals permit. */
static void test_span(void)
{
    static const struct {
        double slice, interval;
        unsigned fold, span;
    } cases[] = {{0.01, 0, 0, 1},  {0.01, 0, 1, 2},    {0.01, 0, 2, 2},    {0.01, 0, 3, 5},
                 {0.01, 0, 4, 10}, {0.01, 0, 5, 20},   {0.01, 0, 12, 20},  {0.02, 0, 12, 10},
                 {0.2, 0, 12, 1},  {0.01, 0.2, 12, 2}, {0.01, 10, 12, 200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        measurement.slice_seconds = cases[i].slice;
        measurement.slice_fold = cases[i].fold;
        CHECK_INT(slice_span(&measurement, with("", cases[i].interval, 0)), cases[i].span);
        CHECK_INT(slice_span(&measurement, with("", cases[i].interval, 60)), 1);
    }
    /* The batches that a record of a day contains. */
    double seconds = 0, batches = 0, round = 5;
    while (seconds < 86400) {
        measurement.slice_seconds = 0.01;
        measurement.slice_fold = 0;
        while (seconds / 0.01 > MEASUREMENT_SLICES << measurement.slice_fold)
            measurement.slice_fold++;
        batches += round / (0.05 * slice_span(&measurement, with("", 0, 0)));
        seconds += round;
        round = seconds; /* a round is at most as long as all before it */
    }
    printf("a day has %.0f batches\n", batches * 86400 / seconds);
    CHECK(batches < 1.1 * seconds);
}

int main(void)
{
    test_rate();
    test_intervals();
    test_length();
    test_span();
    return check_result();
}
