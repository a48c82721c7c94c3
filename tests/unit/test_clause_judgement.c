/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clauses of --sla and --precise, judged on slices made by hand, so that the truth is known. */
#include "check.h"
#include "fake_io.h"

#include "run/result/internal.h"
#include "run/result/session_judgement.h"
#include "simulations.h"

static struct arena arena;
static struct contents contents;
static struct judged judged;
static struct result_clause clauses[2 * CLAUSES_MAX];
static size_t count;
static unsigned batches; /* of the session */
enum { FEWEST = 75 };
static unsigned fewest = FEWEST; /* fewest I/Os in a slice */

static void begin(const char *sla, const char *precise)
{
    struct err e;
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&contents, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&contents.plan);
    contents.plan.write_share = 0.5;
    snprintf(contents.plan.ending.sla, sizeof contents.plan.ending.sla, "%s", sla);
    snprintf(contents.plan.ending.precise, sizeof contents.plan.ending.precise, "%s", precise);
    CHECK_INT(plan_check(&contents.plan, &e), 0);
    contents_set_plan(&contents, &contents.plan);
    contents.measurement.slice_seconds = 0.1;
    batches = 0;
    CHECK_INT(measurement_begin_round(&contents.measurement, false, 0, &e), 0);
}

/* Adds slices: the share `slow` of all I/Os takes 2 ms, the others 100 us; reads and writes alike,
   about 80 a slice. */
static void add(double slow, struct random *random)
{
    struct batch b = {.timing = NULL};
    batch_clear(&b);
    b.slice_count = INTERVAL_SLICES;
    b.wall_ns = UINT64_C(1700000000000000000) + batches++ * UINT64_C(500000000);
    for (int i = 0; i < INTERVAL_SLICES; i++) {
        unsigned n = fewest + (unsigned)random_below(random, 11);
        for (unsigned k = 0; k < n; k++) {
            const enum request_command op = k & 1 ? REQUEST_WRITE : REQUEST_READ;
            count_io(&b.slices[i], &b.latency[op], op,
                     random_unit(random) < slow ? 2000000 : 100000, 4096);
        }
        b.slices[i].asked_bytes = n * 4096;
        b.slices[i].busy_ns = 80000000;
    }
    measurement_add(&contents.measurement, &b);
}

static bool judge_now(void)
{
    judge_session(&contents, &judged);
    return judge_clauses(&contents, &judged, clauses, &count);
}

static void check_clause(size_t i, enum clause_verdict verdict, double value, double within)
{
    CHECK_INT(clauses[i].verdict, verdict);
    CHECK_NEAR(clauses[i].value, value, within);
    CHECK(verdict ? clauses[i].more_seconds <= 0 : clauses[i].more_seconds > 0);
}

static void test_verdicts(void)
{
    struct random random;
    random_seed(&random, 21, 0);
    begin("iops>700, iops<900, all.iops>900, read.iops<380, mean<200us, p99<1ms, read.p90<1ms, "
          "write.p50>1ms, bandwidth>1MB/s, bps>5k, errors=0, errors<3",
          "");
    for (int i = 0; i < 200; i++)
        add(0.05, &random);
    CHECK(judge_now());
    CHECK_INT(count, 12);
    check_clause(0, CLAUSE_PASSED, 800, 0.02);
    check_clause(1, CLAUSE_PASSED, 800, 0.02);
    check_clause(2, CLAUSE_FAILED, 800, 0.02);
    check_clause(3, CLAUSE_FAILED, 400, 0.02);
    check_clause(4, CLAUSE_PASSED, 195e3, 0.03);
    check_clause(5, CLAUSE_FAILED, 2e6, 0.02);
    check_clause(6, CLAUSE_PASSED, 1e5, 0.02);
    check_clause(7, CLAUSE_FAILED, 1e5, 0.02);
    check_clause(8, CLAUSE_PASSED, 800 * 4096, 0.02);
    check_clause(9, CLAUSE_PASSED, 8000, 0.02);
    CHECK(clauses[10].verdict == CLAUSE_PASSED && clauses[10].value <= 0);
    CHECK(clauses[11].verdict == CLAUSE_PASSED && clauses[11].more_seconds <= 0);
}

/* A value too close to its limit is undecided, and the time that a decision takes is stated. */
static void test_open(void)
{
    struct random random;
    random_seed(&random, 22, 0);
    begin("p99<1ms, iops>800, p95<1ms", "");
    for (int i = 0; i < 60; i++)
        add(0.0085, &random);
    CHECK(!judge_now());
    CHECK(clauses[0].verdict == CLAUSE_UNDECIDED && clauses[0].more_seconds > 0);
    CHECK(clauses[1].verdict == CLAUSE_UNDECIDED);
    check_clause(2, CLAUSE_PASSED, 1e5, 0.02);
    double more = clauses[0].more_seconds;
    CHECK(isfinite(more));
    for (int i = 0; i < 3000 && clauses[0].verdict == CLAUSE_UNDECIDED; i++) {
        add(0.0085, &random);
        if (i % 50 == 49)
            judge_now();
    }
    CHECK_INT(clauses[0].verdict, CLAUSE_PASSED);
}

/* A level that is assumed to occur once in 20 s occurs in most sessions of a minute. */
static void test_assumed_memory(void)
{
    struct random random;
    random_seed(&random, 23, 0);
    begin("p50<1ms, errors=0", "");
    contents.plan.ending.assumed_memory_seconds = 20;
    for (int i = 0; i < 60; i++)
        add(0.001, &random); /* half a second */
    CHECK(!judge_now());
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK_NEAR(clauses[0].more_seconds, 30, 0.05);
    CHECK_STR(clauses[0].note, "a level that comes once in 20 s may not have come yet");
    CHECK_INT(clauses[1].verdict, CLAUSE_PASSED); /* errors are counted */
    for (int i = 0; i < 65; i++)
        add(0.001, &random);
    CHECK(judge_now());
    CHECK_INT(clauses[0].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[0].unseen_by, UNSEEN_ASSUMED);
    CHECK_NEAR(clauses[0].unseen, 20, 1e-12);
    contents.plan.ending.assumed_memory_seconds = 0;
    CHECK(judge_now());
    CHECK_INT(clauses[0].unseen_by, UNSEEN_SESSION);
    CHECK_NEAR(clauses[0].unseen, 125 * 0.5 / 3, 0.02);
}

/* A rate that varies by a factor of 3 has no steady level: limits far outside its range are
   decided, one within it is not. */
static void test_far(void)
{
    struct random random;
    random_seed(&random, 24, 0);
    begin("iops>5, p99<1s, p50>1us, read.iops<3, iops>500", "");
    for (int i = 0; i < 60; i++) {
        fewest = i / 20 == 1 ? 20 : 75;
        add(0.05, &random);
    }
    fewest = FEWEST;
    CHECK(!judge_now());
    CHECK_INT(judged.headline.phase, PHASE_NO_STEADY_STATE);
    CHECK_INT(clauses[0].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[1].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[2].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[3].verdict, CLAUSE_FAILED);
    CHECK_INT(clauses[4].verdict, CLAUSE_UNDECIDED);
}

/* Clauses of other sessions may share the chance of a wrong verdict; a limit on errors takes none
   of it. */
static void test_shared(void)
{
    struct random random;
    random_seed(&random, 29, 0);
    begin("p99<1ms", "");
    clauses[0].verdict = CLAUSE_UNDECIDED;
    for (int i = 0; i < 3000 && clauses[0].verdict != CLAUSE_PASSED; i++) {
        add(0.007, &random);
        if (i > 30)
            judge_now();
    }
    CHECK_INT(clauses[0].verdict, CLAUSE_PASSED);
    snprintf(contents.plan.ending.sla, sizeof contents.plan.ending.sla,
             "errors=0,p99<1ms,errors<5");
    CHECK(judge_now());
    CHECK_INT(clauses[1].verdict, CLAUSE_PASSED);
    contents.plan.ending.sla_confidence = 0.9999;
    CHECK(!judge_now());
    CHECK_INT(clauses[0].verdict, CLAUSE_PASSED);
    check_clause(1, CLAUSE_UNDECIDED, 1e5, 0.02);
    CHECK_INT(clauses[2].verdict, CLAUSE_PASSED);
    CHECK_NEAR(plan_sla_confidence(&contents.plan), 0.9999, 1e-12);
    contents.plan.ending.sla_confidence = 0;
    CHECK_NEAR(plan_sla_confidence(&contents.plan), contents.plan.statistics.confidence, 1e-12);
}

static void test_too_short(void)
{
    struct random random;
    random_seed(&random, 23, 0);
    begin("p50<1ms, iops>1", "p50:10%");
    CHECK(!judge_now()); /* nothing was measured */
    CHECK_INT(count, 3);
    CHECK(clauses[0].verdict == CLAUSE_UNDECIDED && isnan(clauses[0].value));
    for (int i = 0; i < 10; i++)
        add(0, &random);
    CHECK(!judge_now());
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK(clauses[0].note[0] && clauses[0].more_seconds > 0);
}

/* The histogram bucket of the limit is 1.6 % wide: pass and failure hold for any value within it.
 */
static void test_bucket(void)
{
    struct random random;
    random_seed(&random, 24, 0);
    begin("p50<100.2us, all.p50>100.2us, p50>98us, p50<102us", "");
    for (int i = 0; i < 100; i++)
        add(0, &random);
    CHECK(!judge_now());
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK_INT(clauses[1].verdict, CLAUSE_UNDECIDED);
    CHECK_INT(clauses[2].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[3].verdict, CLAUSE_PASSED);
}

static void test_errors(void)
{
    struct random random;
    random_seed(&random, 25, 0);
    begin("errors=0, errors<5, errors<100, errors<1%, errors<10%, write.errors=0", "");
    for (int i = 0; i < 100; i++) {
        add(0, &random);
    }
    double failed = 0, all = 0;
    for (size_t i = 0; i < contents.measurement.slice_count; i++) {
        struct slice_op *reads = &contents.measurement.slices[i].op[OPERATION_READ];
        reads->errors = random_below(&random, 5); /* of 80 */
        failed += (double)reads->errors;
        all += (double)(reads->errors + reads->ios +
                        contents.measurement.slices[i].op[OPERATION_WRITE].ios);
    }
    struct slice total = {.op[OPERATION_READ].errors = 50};
    measurement_end_round(&contents.measurement, 50, &total);
    judge_now();
    CHECK_INT(clauses[0].verdict, CLAUSE_FAILED);
    CHECK_INT(clauses[1].verdict, CLAUSE_FAILED);
    CHECK_INT(clauses[2].verdict, CLAUSE_PASSED);
    CHECK(clauses[2].value >= 50 && clauses[2].value <= 50);
    check_clause(3, CLAUSE_FAILED, failed / all, 1e-9);
    check_clause(4, CLAUSE_PASSED, failed / all, 1e-9);
    CHECK_INT(clauses[5].verdict, CLAUSE_PASSED);
}

static void test_widths(void)
{
    struct random random;
    random_seed(&random, 26, 0);
    begin("", "iops:5%, p50:5%, p99.9:5%, mean:0.001%");
    for (int i = 0; i < 100; i++)
        add(0.002, &random);
    CHECK(!judge_now());
    CHECK(clauses[0].is_width && clauses[0].verdict == CLAUSE_PASSED && clauses[0].value < 0.05);
    CHECK_INT(clauses[1].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[3].verdict, CLAUSE_UNDECIDED);
    CHECK(clauses[3].value > 1e-5 && clauses[3].more_seconds > 100);
}

/* Intervals of wall-clock time: three of four keep a limit that the whole run breaks. */
static void test_periods(void)
{
    struct random random;
    random_seed(&random, 29, 0);
    begin("p99<1ms per 1s in 60%, p99<1ms per 1s in 90%, p99<1ms, iops>700 per 2s in 80%, "
          "mean<3ms per 1s in 99.9%, errors=0 per 500ms in 60%",
          "");
    for (int i = 0; i < 800; i++)
        add(i / 2 % 4 == 3 ? 0.2 : 0, &random);
    judge_now();
    check_clause(0, CLAUSE_PASSED, 0.75, 0.01);
    check_clause(1, CLAUSE_FAILED, 0.75, 0.01);
    CHECK_INT(clauses[2].verdict, CLAUSE_FAILED);
    check_clause(3, CLAUSE_PASSED, 1, 1e-9);
    check_clause(4, CLAUSE_UNDECIDED, 1, 1e-9);
    check_clause(5, CLAUSE_PASSED, 1, 1e-9);
    CHECK(clauses[0].periods >= 399 && clauses[0].periods_kept <= 300);
    CHECK_STR(clauses[3].note, "199 of 199 intervals");
    CHECK(strstr(clauses[4].note, "of 399 intervals; about ") != NULL);
    CHECK(strstr(clauses[4].note, " more") != NULL);
    /* The limit is the share; intervals beyond it belong to another level. */
    CHECK_NEAR(clauses[1].limit, 0.9, 1e-12);
    judged.headline.phase = PHASE_NO_STEADY_STATE;
    judge_clauses(&contents, &judged, clauses, &count);
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK_INT(clauses[5].verdict, CLAUSE_UNDECIDED);
    CHECK_INT(clauses[1].verdict, CLAUSE_FAILED);

    snprintf(contents.plan.phases, sizeof contents.plan.phases, "1k:1h");
    contents.verdict = VERDICT_COMPLETE;
    judge_now(); /* a single pass has exactly its intervals */
    CHECK_INT(clauses[0].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[1].verdict, CLAUSE_FAILED);
    CHECK_INT(clauses[4].verdict, CLAUSE_PASSED);
}

/* Bandwidth relative to the limit of the data path, if that is known. */
static void test_efficiency(void)
{
    struct random random;
    random_seed(&random, 30, 0);
    begin("read.efficiency>90%, read.efficiency>99%, write.efficiency>50%", "");
    contents.watch.limit_read = 400 * 4096 / 0.95;
    for (int i = 0; i < 400; i++)
        add(0, &random);
    judge_now();
    check_clause(0, CLAUSE_PASSED, 0.95, 0.01);
    check_clause(1, CLAUSE_FAILED, 0.95, 0.01);
    CHECK_INT(clauses[0].kind, METRIC_KIND_SHARE);
    CHECK_INT(clauses[2].verdict, CLAUSE_UNDECIDED);
    CHECK_STR(clauses[2].note, "the limit of the data path is not known");
    contents.watch.limit_read = 300 * 4096; /* it is none */
    judge_now();
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK(strstr(clauses[0].note, "more was measured") != NULL);
}

/* Levels that do not last decide no limit; with a growing backlog no limit on response time is
   kept. */
static void test_withheld(void)
{
    struct random random;
    random_seed(&random, 28, 0);
    begin("p50<150us, bandwidth>2MB/s, p50<1us, errors=0", ""); /* limits near the values */
    for (int i = 0; i < 200; i++)
        add(0, &random);
    CHECK(judge_now() && clauses[0].verdict == CLAUSE_PASSED);
    contents.timing.saturated = true;
    CHECK(!judge_now());
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK(strstr(clauses[0].note, "backlog") != NULL);
    CHECK_INT(clauses[1].verdict, CLAUSE_PASSED);
    CHECK_INT(clauses[2].verdict, CLAUSE_FAILED);
    contents.timing.saturated = false;
    judge_session(&contents, &judged);
    judged.headline.phase = PHASE_NO_STEADY_STATE;
    CHECK(!judge_clauses(&contents, &judged, clauses, &count));
    CHECK_INT(clauses[0].verdict, CLAUSE_UNDECIDED);
    CHECK_INT(clauses[1].verdict, CLAUSE_UNDECIDED);
    CHECK_INT(clauses[2].verdict, CLAUSE_FAILED);
    CHECK_INT(clauses[3].verdict, CLAUSE_PASSED);
}

/* A session that ends early, or at another level, decides less than one that continues. */
static void test_ends(void)
{
    struct random random;
    random_seed(&random, 28, 0);
    begin("p99<150us, mean<150us, iops>700, p50>1ms, errors=0", "p50:50%");
    for (int i = 0; i < 200; i++)
        add(0, &random);
    CHECK(judge_now());
    contents.verdict = VERDICT_LIMIT;
    CHECK(judge_now() && clauses[0].verdict == CLAUSE_PASSED);

    judged.headline.stable_end--; /* the level that has just begun may be the one that lasts */
    CHECK(!judge_clauses(&contents, &judged, clauses, &count));
    for (size_t i = 0; i < count; i++)
        CHECK_INT(clauses[i].verdict, i == 3   ? CLAUSE_FAILED
                                      : i == 4 ? CLAUSE_PASSED
                                               : CLAUSE_UNDECIDED);
    CHECK_STR(clauses[0].note, "the target was at another level at the end");

    static const enum verdict early[] = {VERDICT_INTERRUPTED, VERDICT_FAILED, VERDICT_CUT_SHORT,
                                         VERDICT_DAMAGED};
    for (size_t k = 0; k < sizeof early / sizeof *early; k++) {
        contents.verdict = early[k];
        judge_now();
        for (size_t i = 0; i < count; i++)
            CHECK_INT(clauses[i].verdict, i == 3 ? CLAUSE_FAILED : CLAUSE_UNDECIDED);
    }

    snprintf(contents.plan.phases, sizeof contents.plan.phases, "1k:1h");
    for (int whole = 0; whole < 2; whole++) {
        contents.verdict = whole ? VERDICT_COMPLETE : VERDICT_LIMIT;
        judge_now();
        CHECK_INT(clauses[0].verdict, whole ? CLAUSE_PASSED : CLAUSE_UNDECIDED);
        CHECK_INT(clauses[3].verdict, whole ? CLAUSE_FAILED : CLAUSE_UNDECIDED);
        CHECK_INT(clauses[4].verdict, whole ? CLAUSE_PASSED : CLAUSE_UNDECIDED);
    }
    struct slice total = {.op[OPERATION_READ].errors = 1};
    measurement_end_round(&contents.measurement, 50, &total);
    contents.verdict = VERDICT_LIMIT;
    judge_now();
    CHECK_INT(clauses[4].verdict, CLAUSE_FAILED);
}

/*
 * The true value equals the limit, and it is judged every 5 s: counts how often a clause is ever
 * decided, which is wrong in either case. Two clauses share the 5 %.
 */
static void test_on_the_limit(void)
{
    enum { RUNS = SIMULATED_RUNS(60) };
    struct random random;
    int wrong = 0;
    for (int run = 0; run < RUNS; run++) {
        random_seed(&random, 27, (uint64_t)run);
        begin("p99<1ms, p90<50us", "");
        clauses[0].verdict = CLAUSE_UNDECIDED;
        for (int i = 0; i < 100 && clauses[0].verdict == CLAUSE_UNDECIDED; i++) {
            add(0.01, &random);
            if (i >= 30 && i % 10 == 0)
                judge_now();
        }
        CHECK(clauses[1].verdict == CLAUSE_FAILED);
        wrong += clauses[0].verdict != CLAUSE_UNDECIDED;
    }
    printf("on the limit: decided %d of %d\n", wrong, RUNS);
    CHECK(wrong <= 6);
}

/* The longest request is a fact: a single request breaks the limit. A kept limit has a note that it
   promises nothing, and it takes no share of the chance of a wrong verdict. */
static void test_longest(void)
{
    struct random random;
    random_seed(&random, 31, 0);
    begin("max<3ms, read.max<2001us, write.max<2ms, max<1ms per 1s in 50%, p99<3ms", "");
    for (int i = 0; i < 100; i++)
        add(0.05, &random);
    judge_now();
    check_clause(0, CLAUSE_PASSED, 2e6, 0);
    CHECK(strstr(clauses[0].note, "promises nothing of the next session") &&
          clauses[0].unseen <= 0);
    check_clause(1, CLAUSE_PASSED, 2e6, 0);
    check_clause(2, CLAUSE_FAILED, 2e6, 0);
    CHECK(!strstr(clauses[2].note, "promises"));
    CHECK(clauses[3].verdict == CLAUSE_FAILED && clauses[3].periods_kept <= 0);
    CHECK(clauses[4].verdict == CLAUSE_PASSED && clauses[4].unseen > 0);

    /* Readings without a steady level, which other clauses leave out, count here. */
    begin("max<3ms, max<1ms, p99<3ms", "");
    for (int i = 0; i < 40; i++)
        add(i < 5 ? 1 : 0, &random);
    judge_now();
    CHECK(judged.headline.stable_begin > 0 || judged.headline.stable_end > 0);
    check_clause(0, CLAUSE_PASSED, 2e6, 0);
    check_clause(1, CLAUSE_FAILED, 2e6, 0);
    contents.verdict = VERDICT_INTERRUPTED;
    judge_now();
    CHECK(clauses[0].verdict == CLAUSE_UNDECIDED && clauses[1].verdict == CLAUSE_FAILED);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, contents_bytes(OPERATION_SET_ALL, false), &e) != 0) {
        puts(e.msg);
        return CHECK_SKIPPED;
    }
    test_verdicts();
    test_open();
    test_assumed_memory();
    test_far();
    test_shared();
    test_too_short();
    test_bucket();
    test_errors();
    test_widths();
    test_periods();
    test_efficiency();
    test_withheld();
    test_ends();
    test_on_the_limit();
    test_longest();
    arena_free(&arena);
    return check_result();
}
