/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Long memory in the interval of a mean: the periodogram, the variance of the mean compared with
 * its exact value, and how often intervals and predictions hold, by simulation with known truth.
 */
#include "stat/estimate/long_memory.h"

#include "stat/basic/descriptive.h"
#include "stat/estimate/estimate.h"
#include "stat/estimate/periodogram.h"
#include "stat/estimate/stop_rule.h"
#include "stat/judge.h"
#include "tests/unit/check.h"
#include "tests/unit/simulated_memory.h"
#include "tests/unit/simulations.h"

#define READINGS 1000
#define RUNS     SIMULATED_RUNS(150)

static struct arena arena;
static double x[MEMORY_READINGS_MAX];

/* Compared with the definition, at all frequencies. */
static void test_periodogram(void)
{
    enum { N = 101 };
    double power[N], cosine[N];
    uint64_t state = 1;
    simulated_ar1(x, N, 0.7, &state);
    periodogram_of(x, N, power, cosine);
    double mean = mean_of(x, N), total = 0;
    CHECK_INT(periodogram_count(N), 50);
    for (size_t j = 0; j < 50; j++) {
        double real = 0, imaginary = 0, angle = 2 * M_PI * (double)(j + 1) / N;
        for (size_t t = 0; t < N; t++) {
            real += (x[t] - mean) * cos(angle * (double)t);
            imaginary += (x[t] - mean) * sin(angle * (double)t);
        }
        CHECK_NEAR(power[j], (real * real + imaginary * imaginary) / N, 1e-8);
        CHECK_NEAR(cosine[j], cos(angle), 1e-12);
        total += 2 * power[j];
    }
    CHECK_NEAR(total, sum_of_squares(x, N, mean), 1e-7); /* Parseval, n odd */

    static double many[3 * PERIODOGRAM_MAX_READINGS], room[PERIODOGRAM_MAX_READINGS];
    size_t n = 3 * PERIODOGRAM_MAX_READINGS;
    for (size_t i = 0; i < n; i++)
        many[i] = (double)(i / 3);
    const double *means = periodogram_readings(many, &n, room);
    CHECK_INT(n, PERIODOGRAM_MAX_READINGS);
    CHECK_NEAR(means[17], 17, 0);
}

/* The stated variance, averaged over many series, relative to the true one: n^(2H - 2) for
   fractional noise. */
static void test_variance(void)
{
    uint64_t state = 2;
    double ratio = 0, d = 0;
    int chosen = 0;
    for (int run = 0; run < RUNS; run++) {
        memory_fractional(x, READINGS, 0.7, &state);
        struct long_memory m = long_memory_of(x, READINGS, 1, &arena);
        if (!(m.evidence > 0))
            continue;
        chosen++;
        d += m.d;
        ratio += log(m.variance / pow(READINGS, -0.6));
        CHECK(m.degrees >= 3);
    }
    printf("Hurst .7: chosen %d of %d, mean d %.3f, variance %.2f of the true one\n", chosen, RUNS,
           d / chosen, exp(ratio / chosen));
    CHECK_COUNT(chosen >= RUNS * 8 / 10);
    CHECK_COUNT(fabs(d / chosen - 0.2) < 0.06);
    CHECK_COUNT(exp(ratio / chosen) > 0.6 && exp(ratio / chosen) < 1.8);
}

struct expected {
    const char *name;
    double min_coverage, max_chosen;
};

/* Counts how often the interval contains the mean 0 and the prediction the mean of the next
   readings; and the width relative to that of the interval without memory. */
static void check_process(const struct memory_process *process, const struct expected *expected)
{
    struct estimate_config config = {INTERVAL_SPECTRAL, 0.95, 0.1};
    uint64_t state = 3;
    int held = 0, next = 0, chosen = 0;
    for (int run = 0; run < RUNS; run++) {
        memory_fill(x, 2 * READINGS, process, &state);
        struct estimate e = estimate_mean(x, READINGS, &config, &arena);
        double after = mean_of(x + READINGS, READINGS);
        held += e.low <= 0 && e.high >= 0;
        next += e.next_low <= after && after <= e.next_high;
        chosen += e.memory > 0;
        CHECK(e.doubt >= 1);
    }
    printf("%-16s holds %.3f, the next one %.3f, memory in %.3f\n", process->name,
           (double)held / RUNS, (double)next / RUNS, (double)chosen / RUNS);
    CHECK_COUNT((double)held / RUNS >= expected->min_coverage);
    CHECK_COUNT((double)next / RUNS >= expected->min_coverage - 0.02);
    CHECK_COUNT((double)chosen / RUNS <= expected->max_chosen);
}

static void test_coverage(void)
{
    static const struct expected expected[] = {
        {"independent", 0.93, 0.04}, {"lognormal", 0.92, 0.04},      {"AR(1) .5", 0.93, 0.04},
        {"AR(1) .9", 0.93, 0.04},    {"Hurst .7", 0.92, 1},          {"Hurst .8", 0.92, 1},
        {"Hurst .9", 0.90, 1},       {"under noise .97", 0.90, 0.1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (size_t k = 0; k < MEMORY_PROCESSES; k++)
            if (!strcmp(memory_processes[k].name, expected[i].name))
                check_process(&memory_processes[k], &expected[i]);
}

/* With memory d, twice as many readings narrow the interval by 2^(1/2 - d). */
static void test_expected_width(void)
{
    struct estimate e = {.mean = 100,
                         .low = 90,
                         .high = 110,
                         .confidence = 0.95,
                         .sd = 10,
                         .n = 1000000,
                         .effective_n = 1e6,
                         .memory = 0.3,
                         .doubt = 1};
    struct stop_rule rule = {INTERVAL_SPECTRAL, 0.1, 50, 0, 0};
    CHECK_NEAR(stop_expected_width(&e, &rule, 2e6), 0.2 * pow(2, -0.2), 1e-3);
    CHECK_NEAR(stop_required_n(&e, &rule) / 32e6, 1, 0.01);
    CHECK_NEAR(long_memory_next_factor(0), 2, 1e-12);
    CHECK_NEAR(long_memory_next_factor(0.4), 2 * (2 - pow(2, 0.8)), 1e-12);
    /* 1 + 100^-.02 - (101^1.98 - 1 - 100^1.98) / 100 */
    CHECK_NEAR(long_memory_next_factor(0.49), 2 * (2 - pow(2, 0.98)) / 0.107382, 1e-3);
    e.doubt = 2;
    CHECK_NEAR(relative_width(&(struct estimate){.mean = 1, .low = 0, .high = 1}), 1, 0);
    struct estimate wide = stop_widened(&e, &rule);
    CHECK_NEAR((wide.high - wide.low) / (e.high - e.low), 2, 0.01);
}

/* A random walk has no level, even if noise hides its steps; an autoregression has one. */
static void test_walk(void)
{
    static const struct memory_process walk = {"walk", MEMORY_WALK, 1};
    static const struct memory_process back = {"AR(1) .95", MEMORY_AUTOREGRESSIVE, 0.95};
    struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                  .estimate = {INTERVAL_SPECTRAL, 0.95, 0.1},
                                  .target_width = 0.1,
                                  .minimum_subsessions = 50,
                                  .higher_is_better = true};
    uint64_t state = 4;
    int holds = 0, precise = 0, recovered = 0;
    for (int run = 0; run < RUNS; run++) {
        memory_fill(x, READINGS, &walk, &state);
        for (size_t i = 0; i < READINGS; i++)
            x[i] += 100;
        struct judgement j = judge(x, READINGS, &config, &arena);
        holds += j.level == LEVEL_HOLDS && j.phase != PHASE_NO_STEADY_STATE;
        precise += j.enough;
        memory_fill(x, READINGS, &back, &state);
        j = judge(x, READINGS, &config, &arena);
        recovered += j.level != LEVEL_WANDERS;
    }
    printf("random walk: a level in %d, precise in %d of %d; AR(1) .95: a level in %d\n", holds,
           precise, RUNS, recovered);
    CHECK_COUNT(holds <= RUNS * 3 / 10); /* the others are much too wide, or are cut into levels */
    CHECK_INT(precise, 0);
    CHECK_COUNT(recovered >= RUNS * 95 / 100);
}

static void test_edges(void)
{
    for (size_t i = 0; i < READINGS; i++)
        x[i] = 5;
    CHECK_NEAR(long_memory_of(x, READINGS, 1, &arena).d, 0, 0);
    CHECK_NEAR(long_memory_of(x, 3, 1, &arena).d, 0, 0);
}

int main(void)
{
    CHECK_INT(arena_init(&arena, judge_scratch_bytes(MEMORY_READINGS_MAX), NULL), 0);
    test_periodogram();
    test_variance();
    test_coverage();
    test_expected_width();
    test_walk();
    test_edges();
    arena_free(&arena);
    return check_result();
}
