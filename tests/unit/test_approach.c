/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A level that is approached gradually is found, measured and left out; without one, none is found.
 */
#include "stat/change/approach.h"

#include "stat/change/changepoint.h"
#include "tests/unit/check.h"
#include "tests/unit/simulated.h"

#define READINGS 2000
#define RUNS     200

static struct arena arena;
static double x[READINGS];
static size_t cuts[READINGS];

static struct approach approach_with(double amplitude, double time, double rho, uint64_t *state)
{
    simulated_ar1(x, READINGS, rho, state);
    for (size_t i = 0; i < READINGS; i++)
        x[i] = 100 + 5 * sqrt(1 - rho * rho) * x[i] + amplitude * exp(-(double)i / time);
    size_t count = changepoint_find(CHANGEPOINT_PELT, x, READINGS, cuts, READINGS, &arena);
    return approach_of(x, READINGS, cuts, count, &arena);
}

/* The shift of the second half's mean: the true shift is below the reported upper limit nearly
   always. */
static void test_found(double amplitude, double time, double rho, int least)
{
    uint64_t state = 5;
    int found = 0, bounded = 0;
    const size_t begin = READINGS / 2;
    double true_shift = amplitude * time *
                        (exp(-(double)begin / time) - exp(-(double)READINGS / time)) /
                        (double)begin;
    for (int run = 0; run < RUNS; run++) {
        struct approach a = approach_with(amplitude, time, rho, &state);
        found += a.found;
        bounded += a.found && fabs(approach_shift(&a, begin, READINGS)) >= 0.99 * fabs(true_shift);
    }
    printf("amplitude %3g, time %4g, AR %.1f: found %d, bounded %d of %d\n", amplitude, time, rho,
           found, bounded, RUNS);
    CHECK(found >= least);
    CHECK(bounded >= found * 80 / 100);
}

static void test_absent(double rho)
{
    uint64_t state = 6;
    int found = 0;
    for (int run = 0; run < RUNS; run++)
        found += approach_with(0, 1, rho, &state).found;
    printf("no approach, AR %.1f: found %d of %d\n", rho, found, RUNS);
    CHECK(found <= RUNS / 40);
}

/* A step is fitted better by two levels. */
static void test_step(void)
{
    uint64_t state = 7;
    simulated_ar1(x, READINGS, 0, &state);
    for (size_t i = 0; i < READINGS; i++)
        x[i] += i < 500 ? 50 : 100;
    const size_t cut = 500;
    CHECK(!approach_of(x, READINGS, &cut, 1, &arena).found);
}

static void test_edges(void)
{
    for (size_t i = 0; i < READINGS; i++)
        x[i] = 7;
    CHECK(!approach_of(x, READINGS, NULL, 0, &arena).found);
    CHECK(!approach_of(x, 3, NULL, 0, &arena).found);
    struct approach none = {0};
    CHECK_NEAR(approach_shift(&none, 0, 10), 0, 0);
    struct approach one = {true, 1, {-60}, {100}};
    CHECK_NEAR(approach_shift(&one, 0, 1000000), -60 * 100 / 1e6, 1e-9);
    CHECK_NEAR(approach_shift(&one, 10, 10), 0, 0);
}

int main(void)
{
    size_t bytes = approach_scratch_bytes(READINGS);
    size_t search = changepoint_scratch_bytes(CHANGEPOINT_PELT, READINGS);
    CHECK_INT(arena_init(&arena, bytes > search ? bytes : search, NULL), 0);
    test_found(-60, 200, 0, RUNS * 9 / 10);
    test_found(-20, 400, 0, RUNS * 9 / 10);
    test_found(20, 200, 0.5, RUNS / 2);
    test_absent(0);
    test_absent(0.8);
    test_step();
    test_edges();
    arena_free(&arena);
    return check_result();
}
