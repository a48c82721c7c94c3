/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts that are checked repeatedly: how often they are wrong, and how soon they come. */
#include "base/random.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/sequential.h"
#include "stat/estimate/stop_rule.h"
#include "tests/unit/check.h"
#include "tests/unit/simulations.h"

#define ALPHA 0.05

static struct arena arena;

/* Integrates over the mixture by Simpson's rule, with which the incomplete beta function must
   agree. */
static double integrate(double above, double rest, double rare, double from, double to)
{
    enum { STEPS = 20000 };
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double p = from + (to - from) * i / STEPS;
        double f = (p > 0 || above == 0) && (p < 1 || rest == 0)
                       ? exp((above > 0 ? above * log(p / rare) : 0) +
                             (rest > 0 ? rest * log((1 - p) / (1 - rare)) : 0))
                       : 0;
        sum += f * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return sum / (3 * STEPS);
}

static void test_against_integral(void)
{
    const double rows[][3] = {{0, 300, .01}, {3, 200, .01},  {30, 2500, .01},
                              {9, 20, .5},   {40, 1000, .1}, {12.5, 700.25, .05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double above = rows[i][0], rest = rows[i][1], rare = rows[i][2];
        double further = rare / (rare + 0.7 * (1 - rare));
        struct sequential e = sequential_share(above, rest, rare);
        double pass = integrate(above, rest, rare, 0, rare) / 2 +
                      integrate(above, rest, rare, 0.7 * rare, rare) / 2;
        double fail = integrate(above, rest, rare, rare, 1) / 2 +
                      integrate(above, rest, rare, rare, further) / 2;
        CHECK_NEAR(exp(e.pass), pass, 1e-4);
        CHECK_NEAR(exp(e.fail), fail, 1e-4);
    }
}

static void test_extremes(void)
{
    struct sequential e = sequential_share(0, 0, 0.01);
    CHECK_NEAR(e.pass, 0, 1e-9);
    CHECK_NEAR(e.fail, 0, 1e-9);
    e = sequential_share(0, 1e9, 0.001);
    CHECK_INT(sequential_decide(&e, 1e-9), SEQUENTIAL_PASS);
    e = sequential_share(1e9, 0, 0.001);
    CHECK_INT(sequential_decide(&e, 1e-9), SEQUENTIAL_FAIL);
    e = sequential_mean(0, 1e9, ALPHA);
    CHECK_INT(sequential_decide(&e, ALPHA), SEQUENTIAL_UNDECIDED);
    e = sequential_mean(50, 400, ALPHA);
    CHECK_INT(sequential_decide(&e, ALPHA), SEQUENTIAL_PASS);
    e = sequential_mean(-50, 400, ALPHA);
    CHECK_INT(sequential_decide(&e, ALPHA), SEQUENTIAL_FAIL);
}

/* It decides at the number of values that it says it needs. */
static void test_needs(void)
{
    double factor = sequential_share_needs(10, 1500, 0.01, ALPHA);
    CHECK(factor > 1 && isfinite(factor));
    struct sequential before = sequential_share(9.8 * factor, 1470 * factor, 0.01);
    struct sequential after = sequential_share(10 * factor, 1500 * factor, 0.01);
    CHECK_INT(sequential_decide(&before, ALPHA), SEQUENTIAL_UNDECIDED);
    CHECK_INT(sequential_decide(&after, ALPHA), SEQUENTIAL_PASS);
    CHECK(isinf(sequential_share_needs(10, 990, 0.01, ALPHA)));
    CHECK_NEAR(sequential_share_needs(0, 1e6, 0.01, ALPHA), 1, 0);
    CHECK(isinf(sequential_mean_needs(0, 100, ALPHA)));
    CHECK_NEAR(sequential_mean_needs(9, 100, ALPHA), 1, 0);
    factor = sequential_mean_needs(1, 100, ALPHA);
    CHECK(factor > 4 && factor < 20);
}

/* A p99 clause on values of which the share `truth` is too slow, checked after every 100. */
struct shares {
    int passes, fails, runs;
    double values; /* mean number until decided */
};

static struct shares run_shares(double truth, int runs, double limit)
{
    struct shares s = {.runs = runs};
    struct random r;
    for (int run = 0; run < runs; run++) {
        random_seed(&r, 31, (uint64_t)run);
        double above = 0, n = 0;
        enum sequential_verdict verdict = SEQUENTIAL_UNDECIDED;
        while (n < limit && verdict == SEQUENTIAL_UNDECIDED) {
            for (int i = 0; i < 100; i++)
                above += random_unit(&r) < truth;
            n += 100;
            struct sequential e = sequential_share(above, n - above, 0.01);
            verdict = sequential_decide(&e, ALPHA);
        }
        s.passes += verdict == SEQUENTIAL_PASS;
        s.fails += verdict == SEQUENTIAL_FAIL;
        s.values += n / runs;
    }
    return s;
}

/* Returns the number of values for a test of fixed size with error ALPHA and power .9. */
static double fixed_values(double truth)
{
    double z = 1.6449 * sqrt(.01 * .99) + 1.2816 * sqrt(truth * (1 - truth));
    return z * z / ((.01 - truth) * (.01 - truth));
}

static void test_shares(void)
{
    struct shares s = run_shares(0.01, SIMULATED_RUNS(1000), 20000);
    printf("on the limit: passes %.4f, fails %.4f\n", s.passes / 1e3, s.fails / 1e3);
    CHECK_COUNT(s.passes <= (ALPHA + 2 * 0.007) * s.runs &&
                s.fails <= (ALPHA + 2 * 0.007) * s.runs);
    const double truths[] = {0.009, 0.007, 0.013};
    for (size_t i = 0; i < 3; i++) {
        s = run_shares(truths[i], SIMULATED_RUNS(60), 1e7);
        double ratio = s.values / fixed_values(truths[i]);
        printf("truth %.3f: passes %d, fails %d of %d after %.0f values, %.2f of a fixed test\n",
               truths[i], s.passes, s.fails, s.runs, s.values, ratio);
        CHECK_COUNT(ratio < 1.5);
        CHECK_COUNT((truths[i] < 0.01 ? s.passes : s.fails) >= 57);
    }
}

/* Slow values come in bursts of 20 and their share equals the limit; checked from 50 intervals on.
 */
static void test_bursts(void)
{
    enum { STRETCHES = 200, RUNS = SIMULATED_RUNS(300) };
    double above[STRETCHES], count[STRETCHES];
    struct random r;
    int passes = 0;
    for (int run = 0; run < RUNS; run++) {
        random_seed(&r, 32, (uint64_t)run);
        bool slow = false;
        enum sequential_verdict verdict = SEQUENTIAL_UNDECIDED;
        for (size_t i = 0; i < STRETCHES && verdict == SEQUENTIAL_UNDECIDED; i++) {
            above[i] = 0;
            count[i] = 500;
            for (int k = 0; k < 500; k++) {
                slow = random_unit(&r) < (slow ? 0.95 : 0.01 / 0.99 / 20);
                above[i] += slow;
            }
            if (i < 49)
                continue;
            struct exceedance x = exceedance_of(above, count, i + 1, 0.95, &arena);
            struct sequential e =
                sequential_share(x.effective_n * x.share, x.effective_n * (1 - x.share), 0.01);
            verdict = sequential_decide(&e, ALPHA);
        }
        passes += verdict == SEQUENTIAL_PASS;
    }
    printf("bursts on the limit: passes %.3f\n", (double)passes / RUNS);
    CHECK_COUNT(passes <= (ALPHA + 2 * 0.0126) * RUNS);
}

/* Autocorrelated readings whose mean equals the limit, checked after every 50. */
static void test_means(void)
{
    enum { READINGS = 2000, RUNS = SIMULATED_RUNS(100) };
    static double x[READINGS];
    const struct estimate_config config = {INTERVAL_SPECTRAL, 0.95, 0.1};
    const struct stop_rule rule = {INTERVAL_SPECTRAL, 0.1, 50, 0, 0};
    struct random r;
    int wrong = 0, passes = 0;
    for (int run = 0; run < 2 * RUNS; run++) {
        random_seed(&r, 33, (uint64_t)run);
        double state = 0, limit = run < RUNS ? 100 : 90;
        enum sequential_verdict verdict = SEQUENTIAL_UNDECIDED;
        for (size_t n = 0; n < READINGS && verdict == SEQUENTIAL_UNDECIDED;) {
            for (int i = 0; i < 50; i++) {
                double u = sqrt(-2 * log(1 - random_unit(&r))) * cos(6.2831853 * random_unit(&r));
                state = 0.5 * state + sqrt(0.75) * u;
                x[n++] = 100 + 30 * state;
            }
            if (n < 250)
                continue;
            struct estimate mean = estimate_mean(x, n, &config, &arena);
            struct estimate wide = stop_widened(&mean, &rule);
            double error = (wide.high - wide.low) / 2 / 1.959964;
            struct sequential e =
                sequential_mean((wide.mean - limit) / error, wide.effective_n, ALPHA);
            verdict = sequential_decide(&e, ALPHA);
        }
        wrong += run < RUNS && verdict != SEQUENTIAL_UNDECIDED;
        passes += run >= RUNS && verdict == SEQUENTIAL_PASS;
    }
    printf("means on the limit: wrong %d of %d; 10 %% inside: passes %d\n", wrong, RUNS, passes);
    CHECK_COUNT(wrong <= (int)(2 * ALPHA * RUNS + 6));
    CHECK_COUNT(passes >= 95);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, 2 * estimate_scratch_bytes(2000), &e) != 0) {
        puts(e.msg);
        return CHECK_SKIPPED;
    }
    test_against_integral();
    test_extremes();
    test_needs();
    test_shares();
    test_bursts();
    test_means();
    arena_free(&arena);
    return check_result();
}
