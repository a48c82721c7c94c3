/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clauses per interval of wall-clock time: which intervals count, and how often verdicts are wrong
   where the truth is known. */
#include "check.h"
#include "fake_io.h"

#include "run/result/internal.h"
#include "simulations.h"

#define SECOND UINT64_C(1000000000)
#define BEGIN  (UINT64_C(1700000000) * SECOND)

static struct arena arena;
static struct clause_periods periods;
static uint64_t slices; /* so far */

static void begin(const char *text)
{
    struct clauses all;
    struct err e = {0};
    arena_reset(&arena, 0);
    CHECK_INT(clause_periods_init(&periods, &arena), 0);
    if (clauses_parse_limits(&all, text, &e) != 0)
        puts(e.msg);
    CHECK_INT(all.count, 1);
    clause_periods_set(&periods, &all.clause[0]);
    slices = 0;
}

/* Adds a batch of 0.1 s, `tenth` tenths after BEGIN: `fast` reads of 100 us, `slow` ones of
   slow_ns. */
static void add(unsigned tenth, unsigned fast, unsigned slow, uint64_t slow_ns)
{
    struct batch b = {.timing = NULL};
    batch_clear(&b);
    b.slice_count = INTERVAL_SLICES;
    b.wall_ns = BEGIN + tenth * (SECOND / 10);
    for (unsigned i = 0; i < fast; i++)
        count_io(&b.slices[i % INTERVAL_SLICES], &b.latency[OPERATION_READ], REQUEST_READ, 100000,
                 4096);
    for (unsigned i = 0; i < slow; i++)
        count_io(&b.slices[i % INTERVAL_SLICES], &b.latency[OPERATION_READ], REQUEST_READ, slow_ns,
                 4096);
    for (int i = 0; i < INTERVAL_SLICES; i++) {
        b.slices[i].asked_bytes = b.slices[i].op[OPERATION_READ].bytes;
        b.slices[i].busy_ns = SECOND / 50;
    }
    clause_periods_add(&periods, &b, SECOND / 10, slices);
    slices += INTERVAL_SLICES;
}

static void check_sums(unsigned count, unsigned may, unsigned surely)
{
    struct period_group sum = {0};
    for (size_t i = 0; i < clause_periods_groups(&periods); i++) {
        const struct period_group *g = clause_periods_group(&periods, i);
        sum.count += g->count;
        sum.may[0] += g->may[0];
        sum.surely[0] += g->surely[0];
        for (int k = 1; k < PERIOD_THRESHOLDS; k++)
            CHECK(g->may[k] >= g->may[k - 1] && g->surely[k] <= g->surely[k - 1]);
    }
    CHECK_INT(sum.count, count);
    CHECK_INT(sum.may[0], may);
    CHECK_INT(sum.surely[0], surely);
}

/* Adds ten intervals of 1 s, of which the third and the seventh are slow. */
static void add_ten_seconds(uint64_t slow_ns)
{
    for (unsigned i = 0; i < 101; i++) {
        bool slow = i / 10 == 2 || i / 10 == 6;
        add(i, slow ? 8 : 10, slow ? 2 : 0, slow_ns);
    }
}

static void test_percentiles(void)
{
    begin("p90<1ms per 1s in 50%");
    add_ten_seconds(2000000);
    check_sums(10, 2, 2); /* the eleventh has not ended */
    begin("p80<1ms per 1s in 50%");
    add_ten_seconds(2000000);
    check_sums(10, 0, 0); /* rank 80 of 100 is a fast read */
    begin("p90>1ms per 1s in 50%");
    add_ten_seconds(2000000);
    check_sums(10, 8, 8);
    begin("p90<1ms per 1s in 50%"); /* the bucket that contains the limit */
    add_ten_seconds(1001000);
    check_sums(10, 2, 0);
    begin("write.p90<1ms per 1s in 50%");
    add_ten_seconds(2000000);
    check_sums(0, 0, 0);
    begin("mean<300us per 1s in 50%"); /* 480 us */
    add_ten_seconds(2000000);
    check_sums(10, 2, 2);
}

static void test_rates(void)
{
    begin("iops>99 per 1s in 50%");
    for (unsigned i = 0; i < 101; i++)
        add(i, i / 10 == 4 ? 9 : 10, 0, 0);
    check_sums(10, 1, 1);
    begin("bandwidth<390kB/s per 1s in 50%"); /* 410 and 369 kB/s */
    for (unsigned i = 0; i < 101; i++)
        add(i, i / 10 == 4 ? 9 : 10, 0, 0);
    check_sums(10, 9, 9);
    begin("bps>750 per 1s in 50%"); /* 800 and 720 */
    for (unsigned i = 0; i < 101; i++)
        add(i, i / 10 == 4 ? 9 : 10, 0, 0);
    check_sums(10, 1, 1);
    begin("errors=0 per 1s in 50%");
    add_ten_seconds(2000000);
    check_sums(10, 0, 0);
}

/* A stall counts in every interval that it fills; an interval without I/O in flight is not a
   reading. */
static void test_stalls(void)
{
    for (int stalled = 0; stalled < 2; stalled++) {
        begin("p99<1ms per 1s in 50%");
        for (unsigned i = 0; i < 20; i++)
            add(i, 10, 0, 0);
        for (unsigned i = 20; i < 55; i++)
            add(i, 0, 0, 0);
        for (unsigned i = 55; i < 71; i++)
            add(i, 10, stalled && i == 55, 36 * SECOND / 10);
        /* The stall fills the fourth to the sixth second; the I/O completes in the seventh. */
        if (stalled)
            check_sums(7, 4, 4);
        else
            check_sums(4, 0, 0);
    }
    begin("iops>5 per 1s in 50%");
    for (unsigned i = 0; i < 71; i++)
        add(i, i < 20 || i > 55 ? 10 : 0, 0, 0);
    check_sums(7, 3, 3);
}

/* Less than half of an interval does not count; intervals begin at times of the wall clock. */
static void test_edges(void)
{
    begin("p99<1ms per 1s in 50%");
    for (unsigned i = 6; i < 45; i++)
        add(i, 10, 0, 0);
    check_sums(3, 0, 0);
    begin("p99<1ms per 1s in 50%");
    for (unsigned i = 5; i < 45; i++)
        add(i, 10, 0, 0);
    check_sums(4, 0, 0);
    begin("p99<1ms per 1s in 50%");
    for (unsigned i = 0; i < 41; i++)
        if (i < 12 || i >= 28)
            add(i, 10, 0, 0);
    check_sums(2, 0, 0);

    struct batch b = {.timing = NULL};
    batch_clear(&b);
    begin("p99<1ms per 1s in 50%");
    clause_periods_add(&periods, &b, SECOND / 10, 0);
    CHECK(periods.undated && !periods.too_long);
    b.wall_ns = BEGIN;
    clause_periods_add(&periods, &b, 3 * SECOND / 10, 0);
    CHECK(periods.too_long);
}

/* Merged groups of intervals give the same count. */
static void test_many(void)
{
    begin("p99<1ms per 100ms in 50%");
    for (unsigned i = 0; i < 5001; i++)
        add(i, 10, i % 10 == 3, 2000000);
    check_sums(5000, 500, 500);
    CHECK(clause_periods_groups(&periods) <= PERIOD_GROUPS && periods.fold == 5);
    uint64_t end = 0;
    for (size_t i = 0; i < clause_periods_groups(&periods); i++) {
        const struct period_group *g = clause_periods_group(&periods, i);
        CHECK(g->begin == end && g->end > g->begin);
        end = g->end;
    }
    CHECK_INT(end, 5000 * INTERVAL_SLICES);
}

/*
 * The limit is broken in 5 % of the intervals, exactly the permitted share: independently, or in
 * clusters. Counts how often a clause judged after every 20 intervals ever passes, or ever fails.
 */
#ifndef RUNS
#define RUNS SIMULATED_RUNS(40)
#endif

struct wrong {
    int passed, failed;
};

static struct wrong decide(double broken, double stays, unsigned intervals, unsigned runs,
                           double *mean_length)
{
    struct random random;
    struct wrong wrong = {0, 0};
    *mean_length = 0;
    for (unsigned run = 0; run < runs; run++) {
        begin("p99<1ms per 100ms in 95%");
        const size_t mark = arena_mark(&arena);
        random_seed(&random, 71, run);
        bool slow = false;
        unsigned i = 0;
        for (int decided = 0; i < intervals && !decided; i++) {
            /* the slow state ends with probability 1 - stays; its share of the time is `broken` */
            double leave = 1 - stays, enter = broken * leave / (1 - broken);
            slow = random_unit(&random) < (slow ? stays : enter);
            if (i == 0)
                slow = random_unit(&random) < broken;
            add(i, 3, slow ? 1 : 0, 5000000);
            if (i < 40 || i % 20)
                continue;
            struct limit_verdict v =
                period_verdict(&periods, 0, clause_periods_groups(&periods), 0.95, 0.05, &arena);
            decided = v.verdict != SEQUENTIAL_UNDECIDED;
            wrong.passed += v.verdict == SEQUENTIAL_PASS;
            wrong.failed += v.verdict == SEQUENTIAL_FAIL;
        }
        *mean_length += i / (double)runs;
        arena_reset(&arena, mark);
    }
    printf("broken in %.3g, stays with %.2g: %d of %u passed, %d failed, %.0f intervals\n", broken,
           stays, wrong.passed, runs, wrong.failed, *mean_length);
    return wrong;
}

static void test_verdicts(void)
{
    double length;
    struct wrong w = decide(0.05, 0.05, 1500, RUNS, &length); /* independent */
    CHECK_COUNT(w.passed <= RUNS / 10 && w.failed <= RUNS / 10);
    w = decide(0.05, 0.8, 1500, RUNS, &length); /* five in a row */
    CHECK_COUNT(w.passed <= RUNS / 10 && w.failed <= RUNS / 10);
    w = decide(0, 0, 400, 1, &length);
    CHECK(w.passed == 1 && length < 350);
    w = decide(0.15, 0.15, 1500, RUNS / 6, &length);
    CHECK_COUNT(w.failed == RUNS / 6);
    w = decide(0.02, 0.02, 1500, RUNS / 6, &length);
    CHECK_COUNT(w.passed >= RUNS / 6 - 1);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, 4 << 20, &e) != 0) {
        puts(e.msg);
        return CHECK_SKIPPED;
    }
    test_percentiles();
    test_rates();
    test_stalls();
    test_edges();
    test_many();
    test_verdicts();
    arena_free(&arena);
    return check_result();
}
