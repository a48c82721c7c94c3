/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periods in series with known truth: how often one is found where there is none, and whether an
   existing one is found. */
#include "stat/change/period.h"

#include "base/arena.h"
#include "check.h"
#include "simulated_memory.h"
#include "simulations.h"

enum { READINGS = MEMORY_READINGS_MAX, RUNS = SIMULATED_RUNS(40) };

#define SECOND 64 /* readings */

static struct arena scratch;
static double x[READINGS];

static unsigned found_in(const char *name, unsigned found)
{
    printf("%s: %u of %d found\n", name, found, RUNS);
    return found;
}

/* Noise with any spectrum, levels that come and go, and a random walk have no period. 11 processes;
   1 % may be wrong. */
static void test_none(void)
{
    unsigned all = 0;
    for (size_t i = 0; i < MEMORY_PROCESSES; i++) {
        unsigned found = 0;
        for (uint64_t run = 0; run < RUNS; run++) {
            uint64_t state = 1000003 * run + i;
            memory_fill(x, READINGS, &memory_processes[i], &state);
            found += period_of(x, READINGS, &scratch).found;
        }
        all += found_in(memory_processes[i].name, found);
    }
    CHECK_COUNT(all <= MEMORY_PROCESSES * RUNS / 50);
}

/* A single change of the level, at any place, is not a period. */
static void test_step(void)
{
    unsigned found = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        uint64_t state = 1000003 * run + 77;
        const size_t at = READINGS * (1 + run) / (RUNS + 1);
        for (size_t i = 0; i < READINGS; i++)
            x[i] = 100 + (i < at ? 0 : 20) + 5 * simulated_normal(&state);
        found += period_of(x, READINGS, &scratch).found;
    }
    CHECK_COUNT(found_in("a step", found) <= 1);
}

/* Dips by `depth` during a tenth of each period, under noise of 5 with this autocorrelation. */
static void test_dips(double seconds, double depth, double rho)
{
    const double period = seconds * SECOND;
    unsigned found = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        uint64_t state = 1000003 * run + 5;
        const double begin = period * simulated_uniform(&state);
        simulated_ar1(x, READINGS, rho, &state);
        for (size_t i = 0; i < READINGS; i++)
            x[i] = 100 + 5 * sqrt(1 - rho * rho) * x[i] -
                   (fmod((double)i + begin, period) < period / 10 ? depth : 0);
        const struct period p = period_of(x, READINGS, &scratch);
        found += p.found && fabs(p.readings / period - 1) < 0.03 &&
                 fabs((p.middle - p.low) / depth - 1) < 0.5 && p.high - p.middle < depth / 4;
    }
    printf("a dip by %g every %g s: ", depth, seconds);
    CHECK_COUNT(found_in("", found) >= RUNS - 2);
}

static void test_limits(void)
{
    for (size_t i = 0; i < READINGS; i++)
        x[i] = 100;
    CHECK(!period_of(x, READINGS, &scratch).found);
    for (size_t i = 0; i < READINGS; i++) /* without noise */
        x[i] = 100 - (i / 100 % 4 == 0 ? 50 : 0);
    const struct period p = period_of(x, READINGS, &scratch);
    CHECK(p.found && fabs(p.readings / 400 - 1) < 0.03);
    CHECK(!period_of(x, 240, &scratch).found);
    CHECK(!period_of(x, 0, &scratch).found);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&scratch, period_scratch_bytes(READINGS), &e), 0);
    test_none();
    test_step();
    test_dips(2, 50, 0);
    test_dips(2, 10, 0);
    test_dips(10.2, 50, 0);
    test_dips(10.2, 20, 0.9);
    test_dips(16, 50, 0); /* four of them */
    test_limits();
    arena_free(&scratch);
    return check_result();
}
