/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a session with several precisions ends, and the verdict if the limit comes before them: each
   outcome, from a judgement made by hand. */
#include "check.h"
#include "fake_io.h"
#include "run/session/running.h"
#include "simulated.h"

#define SLICE_SECONDS 0.1
#define SLICES        300
#define LIMIT_SECONDS 30

static struct session s;

static struct result_clause *add_width(double more_seconds)
{
    struct result_clause *clause = &s.clauses[s.clause_count++];
    *clause = (struct result_clause){
        .is_width = true, .verdict = CLAUSE_UNDECIDED, .more_seconds = more_seconds};
    return clause;
}

/* Begins a session with one precision, a steady level and long memory, whose precision is far out
   of reach. */
static void begin(void)
{
    struct contents *c = &s.contents;
    memset(&s, 0, sizeof s);
    plan_init(&c->plan);
    c->plan.ending.limit_seconds = LIMIT_SECONDS;
    c->plan.ending.minimum_seconds = 5;
    c->measurement.slice_seconds = SLICE_SECONDS;
    c->measurement.slice_count = c->measurement.original_slices = SLICES;
    s.judged.any = true;
    s.judged.slice_seconds = SLICE_SECONDS;
    s.judged.headline.stable_end = SLICES;
    s.judged.claim = level_claim_unknown();
    s.judged.claim.state = LEVEL_HOLDS;
    s.judged.claim.memory = 0.3;
    s.judged.claim.readings = SLICES;
    s.judged.claim.needed_readings = 2 * LEVEL_OUT_OF_REACH * LIMIT_SECONDS / SLICE_SECONDS;
}

static void check_verdict(enum verdict expected)
{
    CHECK_STR(verdict_name(session_limit_verdict(&s)), verdict_name(expected));
}

static void test_one_width(void)
{
    begin();
    check_verdict(VERDICT_BEST_POSSIBLE);
    begin();
    s.judged.claim.state = LEVEL_WANDERS; /* however few readings seem to be needed */
    s.judged.claim.needed_readings = SLICES + 1;
    check_verdict(VERDICT_BEST_POSSIBLE);

    begin();
    s.judged.claim.needed_readings /= 4; /* a longer limit would suffice */
    check_verdict(VERDICT_LIMIT);
    begin();
    s.judged.claim.memory = 0; /* only more readings are needed, however many */
    s.judged.claim.needed_readings = INFINITY;
    check_verdict(VERDICT_LIMIT);
    for (int state = LEVEL_MOVES; state <= LEVEL_CYCLES; state += LEVEL_CYCLES - LEVEL_MOVES) {
        begin();
        s.judged.claim.state = (enum level_state)state; /* time may end that */
        check_verdict(VERDICT_LIMIT);
    }
    begin();
    s.judged.headline.stable_end = SLICES - 60; /* the target is on another level now */
    check_verdict(VERDICT_LIMIT);
    begin();
    s.judged.any = false;
    check_verdict(VERDICT_LIMIT);
    begin();
    s.contents.plan.ending.minimum_seconds = LIMIT_SECONDS + 1; /* shorter than the minimum time */
    check_verdict(VERDICT_LIMIT);
}

/* The readings needed for --precise are those of the precision that takes longest. */
static void test_widths(void)
{
    begin();
    snprintf(s.contents.plan.ending.precise, sizeof s.contents.plan.ending.precise, "iops:1%%");
    s.judged.claim.needed_readings = SLICES;
    add_width(1);
    add_width(2 * LEVEL_OUT_OF_REACH * LIMIT_SECONDS);
    check_verdict(VERDICT_BEST_POSSIBLE);
    s.clauses[1].more_seconds = LIMIT_SECONDS;
    check_verdict(VERDICT_LIMIT);
    s.clauses[1].more_seconds = INFINITY;
    s.clauses[1].verdict = CLAUSE_PASSED; /* only the first is undecided */
    check_verdict(VERDICT_LIMIT);
}

/* Other ends than a precision come at the limit, or are decided by clauses. */
static void test_other_ends(void)
{
    begin();
    s.contents.plan.ending.runtime_seconds = 20;
    check_verdict(VERDICT_LIMIT);
    begin();
    snprintf(s.contents.plan.ending.sla, sizeof s.contents.plan.ending.sla, "p99<2ms");
    check_verdict(VERDICT_LIMIT);
    snprintf(s.contents.plan.ending.precise, sizeof s.contents.plan.ending.precise, "iops:1%%");
    add_width(1e6);
    check_verdict(VERDICT_LIMIT);
}

/* Makes slices of about 100 requests, a number that swings slowly by `swing`. */
static void measure(struct contents *c, double swing)
{
    struct batch b = {.timing = NULL};
    struct err e;
    uint64_t seed = 7;
    CHECK_INT(measurement_begin_round(&c->measurement, false, 0, &e), 0);
    for (unsigned i = 0; i < 1000; i++) {
        batch_clear(&b);
        b.slice_count = 1;
        const double ios = 100 + 5 * simulated_normal(&seed) + swing * sin(i * 6.28318 / 500);
        for (long k = lround(ios); k > 0; k--)
            count_io(&b.slices[0], &b.latency[REQUEST_READ], REQUEST_READ, 1000000, 4096);
        measurement_add(&c->measurement, &b);
    }
}

/* A session with several precisions continues while its level may move, like one with a single
   precision. */
static void test_widths_wait(void)
{
    static struct arena arena;
    struct err e;
    CHECK_INT(arena_init(&arena, contents_bytes(OPERATION_SET_ALL, false) + 4096, &e), 0);
    for (int swings = 0; swings < 2; swings++)
        for (int widths = 0; widths < 2; widths++) {
            struct plan *plan = &s.contents.plan;
            memset(&s, 0, sizeof s);
            arena_reset(&arena, 0);
            CHECK_INT(contents_init(&s.contents, OPERATION_SET_ALL, false, &arena, &e), 0);
            plan_init(plan);
            s.contents.measurement.slice_seconds = SLICE_SECONDS;
            snprintf(plan->ending.precise, sizeof plan->ending.precise, widths ? "iops:5%%" : "");
            measure(&s.contents, swings);
            CHECK(session_is_precise(&s) == !swings);
        }
    arena_free(&arena);
}

int main(void)
{
    test_widths_wait();
    test_one_width();
    test_widths();
    test_other_ends();
    return check_result();
}
