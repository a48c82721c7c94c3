/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judgement of a session from slices made by hand, with known means. */
#include "check.h"
#include "fake_io.h"

#include "run/result/internal.h"
#include "run/result/session_judgement.h"
#include "simulated.h"

static struct arena arena;
static struct contents contents;

static void begin(double write_share)
{
    struct err e;
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&contents, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&contents.plan);
    contents.plan.write_share = write_share;
    contents.measurement.slice_seconds = 0.1;
    CHECK_INT(measurement_begin_round(&contents.measurement, false, 0, &e), 0);
}

/* Adds a batch of slices with these numbers of operations, all with one latency. */
static void add_slices(enum request_command op, const unsigned ios[INTERVAL_SLICES], uint64_t ns)
{
    struct batch b = {.timing = NULL};
    batch_clear(&b);
    b.slice_count = INTERVAL_SLICES;
    for (int i = 0; i < INTERVAL_SLICES; i++) {
        for (unsigned k = 0; k < ios[i]; k++)
            count_io(&b.slices[i], &b.latency[op], op, ns, 8192);
        b.slices[i].asked_bytes = ios[i] * 8192;
        b.slices[i].busy_ns = ios[i] * ns;
    }
    measurement_add(&contents.measurement, &b);
}

/* Adds a batch of slices with `ios` operations each, give or take one, all with one latency. */
static void add(enum request_command op, unsigned ios, uint64_t ns, struct random *random)
{
    unsigned each[INTERVAL_SLICES];
    for (int i = 0; i < INTERVAL_SLICES; i++)
        each[i] = ios + (unsigned)random_below(random, 3) - 1;
    add_slices(op, each, ns);
}

/* Returns the mean of a field over the slices [from, to), per second. */
static double plain_rate(int op, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += (double)contents.measurement.slices[i].op[op].ios;
    return sum / ((double)(to - from) * 0.1);
}

static void check_nothing(void)
{
    static struct judged j;
    static struct result r;
    begin(0);
    judge_session(&contents, &j);
    CHECK(!j.any && !j.enough);
    latency_rows(&contents, &j, &r);
    CHECK_INT(r.row_count, 0);
}

static void check_flat(void)
{
    static struct judged j;
    struct random random;
    random_seed(&random, 1, 1);
    begin(0);
    for (int i = 0; i < 100; i++)
        add(REQUEST_READ, 50, 2000000, &random);
    judge_session(&contents, &j);
    CHECK(j.any && j.enough);
    CHECK_INT(j.headline.phase, PHASE_FLAT);
    CHECK_INT(j.headline.stable_begin, 0);
    CHECK_INT(j.headline.stable_end, 500);
    double rate = plain_rate(REQUEST_READ, 0, 500);
    CHECK_NEAR(j.iops[OPERATION_READ].mean, rate, 1e-12);
    CHECK_NEAR(j.iops[JUDGED_ALL].mean, rate, 1e-12);
    CHECK_NEAR(j.bandwidth[OPERATION_READ].mean, rate * 8192, 1e-12);
    CHECK_NEAR(j.response_time[OPERATION_READ].mean, 2000000, 1e-12);
    CHECK(j.iops[OPERATION_READ].low < rate && j.iops[OPERATION_READ].high > rate);
    CHECK_INT(j.iops[OPERATION_WRITE].n, 0); /* a plan that only reads has no writes to judge */
    CHECK_NEAR(j.bps.mean, 16 / 0.002, 1e-9);
    CHECK_INT(j.bps.n, 500);

    struct judged quick;
    judge_headline(&contents, &quick);
    CHECK(quick.enough == j.enough && quick.required_slices == j.required_slices);
}

static void check_too_short(void)
{
    static struct judged j;
    struct random random;
    random_seed(&random, 1, 2);
    begin(0);
    add(REQUEST_READ, 50, 2000000, &random);
    judge_session(&contents, &j);
    CHECK(j.any && !j.enough);
    CHECK(j.required_slices > 5);
}

/* I/O that completed before a stall until the end is not a warm-up: all of it is judged, and is not
   enough. */
static void check_still(void)
{
    static struct judged j;
    struct random random;
    struct batch none = {.timing = NULL};
    random_seed(&random, 1, 4);
    begin(0);
    for (int i = 0; i < 40; i++)
        add(REQUEST_READ, 50, 2000000, &random);
    batch_clear(&none);
    none.slice_count = INTERVAL_SLICES;
    for (int i = 0; i < 60; i++)
        measurement_add(&contents.measurement, &none);
    judge_session(&contents, &j);
    CHECK(j.still_slices > 250 && j.still_slices <= 300);
    CHECK_INT(j.headline.stable_begin, 0);
    CHECK_INT(j.headline.stable_end, 500);
    CHECK_NEAR(j.iops[OPERATION_READ].mean, plain_rate(REQUEST_READ, 0, 500), 1e-12);
    CHECK(!j.enough);
}

/* A warm-up at half the rate: all reported values are from after it. */
static void check_warm_up(void)
{
    static struct judged j;
    static struct result r;
    struct random random;
    random_seed(&random, 1, 3);
    begin(0);
    for (int i = 0; i < 20; i++)
        add(REQUEST_READ, 50, 4000000, &random);
    for (int i = 0; i < 100; i++)
        add(REQUEST_READ, 100, 1000000, &random);
    judge_session(&contents, &j);
    CHECK_INT(j.headline.phase, PHASE_WARMUP);
    CHECK_INT(j.headline.stable_begin, 100);
    CHECK_INT(j.headline.stable_end, 600);
    CHECK_NEAR(j.iops[OPERATION_READ].mean, plain_rate(REQUEST_READ, 100, 600), 1e-12);
    CHECK_NEAR(j.response_time[OPERATION_READ].mean, 1000000, 1e-12);

    memset(&r, 0, sizeof r);
    latency_rows(&contents, &j, &r);
    const struct result_row *p50 = result_find(&r, METRIC_LATENCY_P50, "read");
    const struct result_row *most = result_find(&r, METRIC_LATENCY_MAX, "read");
    CHECK(p50 && most);
    if (!p50 || !most)
        return;
    CHECK_NEAR(p50->value, 1000000, 0.02);
    CHECK(most->value == 1000000);
    CHECK_INT(p50->n, (uint64_t)(plain_rate(REQUEST_READ, 100, 600) * 50 + 0.5));
    CHECK_INT(r.histogram_count, 1);
    CHECK(result_find(&r, METRIC_LATENCY_P50, "write") == NULL);
}

/* A session that the limit ends: what it lacked, and its verdict. */
static void check_lack(void)
{
    static struct judged j;
    static struct result r;
    uint64_t seed = 7;
    begin(0);
    contents.verdict = VERDICT_LIMIT;
    for (unsigned i = 0; i < 1000; i += INTERVAL_SLICES) {
        unsigned each[INTERVAL_SLICES];
        for (unsigned k = 0; k < INTERVAL_SLICES; k++)
            each[k] =
                (unsigned)lround(100 + 5 * simulated_normal(&seed) + sin((i + k) * 6.28318 / 500));
        add_slices(REQUEST_READ, each, 1000000);
    }
    contents.plan.ending.minimum_seconds = 10;
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK(j.held_back && !j.enough);
    CHECK_INT(r.lack.kind, LACK_SETTLED_LEVEL);
    CHECK_INT(r.claim.doubt, LEVEL_DOUBT_SLOW_END);
    CHECK_STR(verdict_name(r.verdict), "unsettled");
    const struct result_row *iops = result_find(&r, METRIC_IOPS, "read");
    CHECK(iops && strstr(iops->note, "leave open whether its level holds") != NULL);
    CHECK(iops && result_is_predicted(iops));

    contents.plan.ending.minimum_seconds = 600;
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK_INT(r.lack.kind, LACK_TIME);
    CHECK_STR(verdict_name(r.verdict), "limit");

    contents.plan.ending.minimum_seconds = 10;
    contents.plan.statistics.minimum_subsessions = 1000;
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK_INT(r.lack.kind, LACK_READINGS);
    CHECK_STR(verdict_name(r.verdict), "limit");

    /* with widths reached, it still waits for the level */
    contents.plan.statistics.minimum_subsessions = 30;
    snprintf(contents.plan.ending.precise, sizeof contents.plan.ending.precise, "iops:5%%");
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK_INT(r.lack.kind, LACK_SETTLED_LEVEL);
    CHECK_STR(verdict_name(r.verdict), "unsettled");
    CHECK_NEAR(r.claim.needed_readings, (double)r.claim.readings, 0);
    contents.plan.ending.minimum_seconds = 600;
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK_INT(r.lack.kind, LACK_TIME);
    contents.plan.ending.minimum_seconds = 10;
    snprintf(contents.plan.ending.precise, sizeof contents.plan.ending.precise, "iops:.1%%");
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK_INT(r.lack.kind, LACK_NOTHING);
    CHECK_STR(verdict_name(r.verdict), "limit");
    contents.plan.ending.precise[0] = '\0';

    /* a clause has its own verdict */
    snprintf(contents.plan.ending.sla, sizeof contents.plan.ending.sla, "p99<2ms");
    summary_of_contents(&contents, &j, &arena, &r);
    CHECK_STR(verdict_name(r.verdict), "limit");
}

/* 1,000/s fall gradually to 950 within 50 s: 5 % are reported, and nothing is extrapolated to an
   hour. */
static void check_slow_shift(void)
{
    static struct judged j;
    static struct result r;
    struct random random;
    const char *found = "";
    random_seed(&random, 1, 6);
    begin(0);
    for (unsigned i = 0; i < 100; i++)
        add(REQUEST_READ, 100 - i / 20, 1000000, &random);
    summary_of_contents(&contents, &j, &arena, &r);
    for (size_t i = 0; i < r.note_count; i++)
        if (r.notes[i].warning && strstr(r.notes[i].text, "slow shift"))
            found = r.notes[i].text;
    CHECK(strstr(found, "falls by 5") != NULL || strstr(found, "falls by 4.") != NULL);
    CHECK(!strstr(found, "per hour") && strstr(found, "within 50") != NULL);

    begin(0);
    for (unsigned i = 0; i < 100; i++)
        add(REQUEST_READ, 100, 1000000, &random);
    summary_of_contents(&contents, &j, &arena, &r);
    for (size_t i = 0; i < r.note_count; i++)
        CHECK(!strstr(r.notes[i].text, "slow shift"));
}

static void check_mix(void)
{
    static struct judged j;
    static struct result r;
    struct random random;
    random_seed(&random, 1, 4);
    begin(0.5);
    for (int i = 0; i < 200; i++)
        add(i & 1 ? REQUEST_WRITE : REQUEST_READ, 60, i & 1 ? 3000000 : 1000000, &random);
    judge_session(&contents, &j);
    double reads = plain_rate(REQUEST_READ, 0, 1000), writes = plain_rate(REQUEST_WRITE, 0, 1000);
    if (j.headline.stable_begin == 0 && j.headline.stable_end == 1000) {
        CHECK_NEAR(j.iops[OPERATION_READ].mean, reads, 1e-12);
        CHECK_NEAR(j.iops[OPERATION_WRITE].mean, writes, 1e-12);
        CHECK_NEAR(j.iops[JUDGED_ALL].mean, reads + writes, 1e-12);
        CHECK_NEAR(j.response_time[JUDGED_ALL].mean,
                   (reads * 1000000 + writes * 3000000) / (reads + writes), 1e-12);
    }
    CHECK_NEAR(j.response_time[OPERATION_READ].mean, 1000000, 1e-12);
    CHECK_NEAR(j.response_time[OPERATION_WRITE].mean, 3000000, 1e-12);
    memset(&r, 0, sizeof r);
    latency_rows(&contents, &j, &r);
    CHECK_INT(r.histogram_count, 2);
    CHECK(result_find(&r, METRIC_LATENCY_P99, "write") != NULL);
}

/* Merged to slices 16 times as long, the means are the same. */
static void check_folded(void)
{
    static struct judged j;
    struct random random;
    random_seed(&random, 1, 5);
    begin(0);
    double ios = 0;
    for (int i = 0; i < 20000; i++)
        add(REQUEST_READ, 20, 500000, &random);
    judge_session(&contents, &j);
    const struct measurement *m = &contents.measurement;
    CHECK_INT(m->slice_fold, 4);
    CHECK_NEAR(j.slice_seconds, 1.6, 1e-12);
    for (size_t i = j.headline.stable_begin; i < j.headline.stable_end; i++)
        ios += (double)m->slices[i].op[OPERATION_READ].ios;
    double seconds = (double)(j.headline.stable_end - j.headline.stable_begin) * 1.6;
    CHECK_NEAR(j.iops[OPERATION_READ].mean, ios / seconds, 1e-12);
    CHECK_NEAR(j.iops[OPERATION_READ].mean, 200, 0.01);
    CHECK_NEAR(j.response_time[OPERATION_READ].mean, 500000, 1e-12);
    CHECK(j.enough);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena, contents_bytes(OPERATION_SET_ALL, false) + 4096, &e), 0);
    check_nothing();
    check_flat();
    check_too_short();
    check_still();
    check_warm_up();
    check_slow_shift();
    check_lack();
    check_mix();
    check_folded();
    arena_free(&arena);
    return check_result();
}
