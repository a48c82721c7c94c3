/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The system's result compared with known truth: busy time with wrong clocks, groups and outliers,
 * percentiles beside the average of percentiles, and one merge compared with a merge of merges.
 */
#include "many/merge/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

#define MS     UINT64_C(1000000)
#define EPOCH  (UINT64_C(1700000000) * 1000 * MS)
#define SECOND (1000 * MS)

static struct result result;
static struct err error;

static struct merge *begin(const struct merge_plan *plan)
{
    struct merge *m = NULL;
    CHECK_INT(merge_run(&m, plan, &error), 0);
    return m;
}

static struct merge_plan plan_of_nothing(void)
{
    struct merge_plan plan = {.input_count = 0};
    plan_init(&plan.statistics);
    plan.statistics.statistics.changepoint = CHANGEPOINT_NONE;
    return plan;
}

static void open_source(struct merge *m, const char *host, uint64_t clock, int64_t error_ns)
{
    static uint64_t identity;
    const struct merge_source is = {.path = host,
                                    .format = "test",
                                    .host = host,
                                    .job = "",
                                    .device = "",
                                    .label = "",
                                    .labels = "",
                                    .rw = "",
                                    .launch = "",
                                    .failure = "",
                                    .identity = {++identity, 1},
                                    .clock = {clock, 1},
                                    .clock_error_ns = error_ns};
    CHECK_INT(source_begin(m, &is, &error), 0);
}

static void add_stretch(struct merge *m, uint64_t begin_ms, uint64_t end_ms, uint64_t busy_ms)
{
    const struct merge_stretch s = {EPOCH + begin_ms * MS, EPOCH + end_ms * MS, busy_ms * MS};
    CHECK_INT(merge_add_stretches(m, &s, 1, &error), 0);
}

static void add_value(struct merge *m, uint64_t at_ms, uint64_t latency_ns)
{
    CHECK_INT(
        merge_add_value(m, OPERATION_READ, EPOCH + at_ms * MS, latency_ns, 4096, true, &error), 0);
}

/* Two sources with overlapping busy intervals, on one clock or on two that differ by at most 1 ms.
 */
static struct result_busy busy_of(uint64_t other_clock)
{
    const struct merge_plan plan = plan_of_nothing();
    struct merge *m = begin(&plan);
    open_source(m, "a", 7, (int64_t)MS);
    add_stretch(m, 100, 110, 10);
    add_stretch(m, 120, 130, 10);
    add_value(m, 110, 10 * MS);
    add_value(m, 130, 10 * MS);
    CHECK_INT(source_end(m, &error), 0);
    open_source(m, "b", other_clock, (int64_t)MS);
    add_stretch(m, 105, 115, 10);
    add_value(m, 115, 10 * MS);
    CHECK_INT(source_end(m, &error), 0);
    CHECK_INT(merge_result(m, &result, &error), 0);
    struct result_busy busy = result.merged->busy;
    merge_free(m);
    return busy;
}

static void test_busy(void)
{
    struct result_busy one = busy_of(7), two = busy_of(8);
    CHECK_NEAR(one.seconds, 0.025, 1e-9);
    CHECK_NEAR(one.low, 0.025, 1e-9);
    CHECK_NEAR(one.high, 0.025, 1e-9);
    CHECK_NEAR(one.block_rate, 3 * 8 / 0.025, 1e-9);
    /* shortened by 1 ms at each end: [101, 114), [121, 129); extended: [99, 116), [119, 131) */
    CHECK_NEAR(two.seconds, 0.025, 1e-9);
    CHECK_NEAR(two.low, 0.021, 1e-9);
    CHECK_NEAR(two.high, 0.029, 1e-9);
    CHECK_NEAR(two.block_rate_low, 3 * 8 / 0.029, 1e-9);
    CHECK_NEAR(two.block_rate_high, 3 * 8 / 0.021, 1e-9);
}

/* Gaps known only by their sum: the truth is between the longest source and the sum. */
static void test_gapped(void)
{
    const struct merge_plan plan = plan_of_nothing();
    struct merge *m = begin(&plan);
    for (int i = 0; i < 2; i++) {
        open_source(m, i ? "a" : "b", 7, 0);
        add_stretch(m, 100, 300, 80);
        add_value(m, 300, MS);
        CHECK_INT(source_end(m, &error), 0);
    }
    CHECK_INT(merge_result(m, &result, &error), 0);
    CHECK_NEAR(result.merged->busy.seconds, 0.2 * (1 - 0.6 * 0.6), 1e-4);
    CHECK_NEAR(result.merged->busy.low, 0.08, 1e-9);
    CHECK_NEAR(result.merged->busy.high, 0.16, 1e-9);
    merge_free(m);
}

static const struct result_group *group_of(const char *name)
{
    for (size_t i = 0; i < result.merged->group_count; i++)
        if (!strcmp(result.merged->groups[i].name, name))
            return &result.merged->groups[i];
    return NULL;
}

/* Nine hosts with 1,000 I/Os of 100 us each, and one with 1 ms: the system's p99 is that of the
   slow host; the average of all p99 is not. */
static void test_groups(void)
{
    const struct merge_plan plan = plan_of_nothing();
    struct merge *m = begin(&plan);
    for (int host = 0; host < 10; host++) {
        char name[] = "node0";
        name[4] = (char)(name[4] + host);
        open_source(m, merge_string(m, name, sizeof name), 100 + (uint64_t)host, 5000);
        for (uint64_t i = 0; i < 1000; i++)
            add_value(m, 1000 + i, host == 4 ? 1000000 : 100000);
        CHECK_INT(source_end(m, &error), 0);
    }
    CHECK_INT(merge_result(m, &result, &error), 0);
    CHECK_INT(result.merged->hosts, 10);
    CHECK_INT(result.merged->clocks, 10);
    CHECK_NEAR(result.merged->clock_error_ns, 5000, 1e-9);
    CHECK_STR(result.merged->by, "host");
    CHECK_INT(result.merged->group_count, 10);
    for (int host = 0; host < 10; host++) {
        char name[] = "node0";
        name[4] = (char)(name[4] + host);
        const struct result_group *g = group_of(name);
        CHECK(g != NULL && g->n == 1000);
        CHECK(g != NULL && (g->outlier[0] != '\0') == (host == 4));
    }
    CHECK(group_of("node4") && strstr(group_of("node4")->outlier, "10 times the median"));
    const struct result_average *p99 = &result.merged->averages[MERGED_METRIC_LATENCY_P99];
    CHECK_NEAR(p99->system, 1000000, 1.0 / 64);
    CHECK_NEAR(p99->average, 190000, 1.0 / 64);
    merge_free(m);
}

/* Hosts that did not measure at the same time as the others are named. */
static void test_edges(void)
{
    const struct merge_plan plan = plan_of_nothing();
    struct merge *m = begin(&plan);
    for (int host = 0; host < 3; host++) {
        char name[] = "node0";
        name[4] = (char)(name[4] + host);
        open_source(m, merge_string(m, name, sizeof name), 100 + (uint64_t)host, 5000);
        for (uint64_t i = host == 1 ? 4000 : 0; i < (host == 2 ? 5000 : 10000); i += 10)
            add_value(m, 1000 + i, 100000);
        CHECK_INT(source_end(m, &error), 0);
    }
    CHECK_INT(merge_result(m, &result, &error), 0);
    CHECK(group_of("node0") && !group_of("node0")->outlier[0]);
    CHECK(group_of("node1") && strstr(group_of("node1")->outlier, "began 4 s after the first"));
    CHECK(group_of("node2") && strstr(group_of("node2")->outlier, "ended 5 s before the last"));
    merge_free(m);
}

static double mean_of(const struct merge *m)
{
    CHECK_INT(merge_result((struct merge *)m, &result, &error), 0);
    const struct result_row *row = result_find(&result, METRIC_RESPONSE_TIME, "read");
    return row ? row->value : NAN;
}

/* A mean is the sum over the count, whatever part of an interval the first and last I/O take: only
   the rate is scaled to a whole interval. */
static void test_means(void)
{
    static const uint64_t intervals[] = {0, SECOND / 5, SECOND, 10 * SECOND};
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        struct merge_plan plan = plan_of_nothing();
        plan.interval_ns = intervals[i];
        struct merge *m = begin(&plan);
        double sum = 0;
        open_source(m, "node", 1, 0);
        for (uint64_t k = 1; k <= 17; k++) {
            add_value(m, k * 100 + 30, 100000 + 7 * k);
            sum += 100000 + 7 * (double)k;
        }
        CHECK_INT(source_end(m, &error), 0);
        CHECK_NEAR(mean_of(m), sum / 17, 1e-6);
        merge_free(m);
    }
}

/* Verdicts, values and confidence intervals do not depend on the intervals that are shown. */
static void test_judged_intervals(void)
{
    static const uint64_t intervals[] = {0,      SECOND / 20, SECOND / 5, 3 * SECOND / 10,
                                         SECOND, 7 * SECOND,  30 * SECOND};
    static struct result first;
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        struct merge_plan plan = plan_of_nothing();
        plan.interval_ns = intervals[i];
        snprintf(plan.statistics.ending.sla, sizeof plan.statistics.ending.sla,
                 "read.p99<3ms, read.mean<2ms, iops>49, read.p90<2ms per 3s in 90%%, iops>40");
        struct merge *m = begin(&plan);
        open_source(m, "node", 1, 0);
        for (uint64_t k = 0; k < 6000; k++)
            add_value(m, k * 20 + k * 7919 % 19, MS + k * k % 1999 * MS / 1000);
        CHECK_INT(source_end(m, &error), 0);
        CHECK_INT(merge_result(m, &result, &error), 0);
        CHECK_INT(result.clause_count, 5);
        if (!i)
            first = result;
        for (size_t k = 0; k < result.clause_count; k++) {
            const struct result_clause *a = &first.clauses[k], *b = &result.clauses[k];
            CHECK_INT(b->verdict, a->verdict);
            CHECK_NEAR(b->value, a->value, 1e-12);
            CHECK(!strcmp(a->note, b->note));
        }
        const struct result_row *row = result_find(&result, METRIC_IOPS, "read");
        const struct result_row *other = result_find(&first, METRIC_IOPS, "read");
        CHECK(row && other && row->n == other->n);
        CHECK_NEAR(row->low, other->low, 1e-12);
        CHECK_NEAR(row->high, other->high, 1e-12);
        CHECK_INT(result.period_count > 0 && intervals[i] &&
                      (uint64_t)llround(result.periods[0].seconds * 1e9) != intervals[i],
                  false);
        merge_free(m);
    }
}

/* A row over a longer time is distributed over shorter intervals in whole I/Os, each with its
   latency; a mean computed from the middles of buckets stays within the measured range. */
static void test_means_of_rows(void)
{
    static const uint64_t latencies[] = {1, 999, 12345, 7654321};
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        const struct merge_plan plan = plan_of_nothing();
        const uint16_t bucket = (uint16_t)histogram_bucket(latencies[i]);
        const uint64_t one = 1;
        const struct merge_latencies row = {
            .op = OPERATION_READ,
            .begin_ns = EPOCH,
            .end_ns = EPOCH + 30 * MS,
            .sum = {.ios = 1, .bytes = 4096},
            .latency = {1, latencies[i], latencies[i], 0, 1, &bucket, &one}};
        struct merge *m = begin(&plan);
        open_source(m, "node", 1, 0);
        CHECK_INT(merge_add_latencies(m, &row, &error), 0);
        add_value(m, 90, latencies[i]);
        CHECK_INT(source_end(m, &error), 0);
        for (size_t k = 0; k < m->timeline.count; k++)
            for (unsigned slice = 0; slice < TIMELINE_SLICES; slice++) {
                const struct slice_op *op =
                    &m->timeline.intervals[k]->slices[slice].op[OPERATION_READ];
                CHECK_INT(op->latency_ns, op->ios * latencies[i]);
            }
        CHECK_NEAR(mean_of(m), (double)latencies[i], 1e-9);
        merge_free(m);
    }
}

/* Intervals get longer automatically, at any time; no I/O is lost. */
static uint64_t total_of(const struct merge *m)
{
    uint64_t n = 0;
    for (size_t i = 0; i < m->timeline.count; i++)
        n += m->timeline.intervals[i]->op[OPERATION_READ].n;
    return n;
}

static void test_lengths(void)
{
    const struct merge_plan plan = plan_of_nothing();
    struct merge *forth = begin(&plan), *back = begin(&plan);
    open_source(forth, "a", 1, 0);
    open_source(back, "a", 1, 0);
    for (uint64_t i = 0; i < 2000; i++) {
        add_value(forth, i * 100, 1000 + i);
        add_stretch(forth, i * 100, i * 100 + 1, 1);
        add_value(back, (1999 - i) * 100, 1000 + 1999 - i);
        add_stretch(back, (1999 - i) * 100, (1999 - i) * 100 + 1, 1);
        if (i == 10) {
            CHECK_INT(forth->timeline.length_ns, SECOND / 10);
            CHECK_INT(total_of(forth), 11);
        }
    }
    CHECK_INT(source_end(forth, &error), 0);
    CHECK_INT(source_end(back, &error), 0);
    CHECK_INT(forth->timeline.length_ns, SECOND);
    CHECK_INT(back->timeline.length_ns, SECOND);
    CHECK_INT(total_of(forth), 2000);
    CHECK_INT(total_of(back), 2000);
    CHECK_INT(forth->timeline.count, back->timeline.count);
    for (size_t i = 0; i < forth->timeline.count; i++) {
        const struct timeline_interval *a = forth->timeline.intervals[i];
        const struct timeline_interval *b = back->timeline.intervals[i];
        CHECK_INT(a->number, b->number);
        CHECK(!memcmp(a->slices, b->slices, sizeof a->slices));
        CHECK_INT(a->sets[SET_EXACT].count, b->sets[SET_EXACT].count);
        CHECK_INT(stretch_set_length(&a->sets[SET_EXACT], 0, UINT64_MAX), 10 * MS);
    }
    merge_free(forth);
    merge_free(back);
}

/* Sums over a long time are distributed evenly, without a remainder. */
static void test_shares(void)
{
    const struct merge_plan plan = plan_of_nothing();
    struct merge *m = begin(&plan);
    const uint16_t bucket = 500;
    const uint64_t count = 1003;
    const struct merge_latencies add = {
        .op = OPERATION_READ,
        .begin_ns = EPOCH,
        .end_ns = EPOCH + 10 * SECOND,
        .sum = {.ios = count, .bytes = count * 4096},
        .latency = {.n = count, .min = 1, .max = 2, .used = 1, .bucket = &bucket, .count = &count}};
    open_source(m, "a", 1, 0);
    CHECK_INT(merge_add_latencies(m, &add, &error), 0);
    CHECK_INT(source_end(m, &error), 0);
    uint64_t ios = 0, bytes = 0, least = UINT64_MAX, greatest = 0;
    for (size_t i = 0; i < m->timeline.count; i++)
        for (unsigned k = 0; k < TIMELINE_SLICES; k++) {
            const struct slice_op *op = &m->timeline.intervals[i]->slices[k].op[OPERATION_READ];
            ios += op->ios;
            bytes += op->bytes;
            least = op->ios < least ? op->ios : least;
            greatest = op->ios > greatest ? op->ios : greatest;
        }
    CHECK_INT(ios, count);
    CHECK_INT(bytes, count * 4096);
    CHECK(greatest <= least + 3 + 2);
    merge_free(m);
}

int main(void)
{
    test_busy();
    test_gapped();
    test_groups();
    test_edges();
    test_means();
    test_judged_intervals();
    test_means_of_rows();
    test_lengths();
    test_shares();
    return check_result();
}
