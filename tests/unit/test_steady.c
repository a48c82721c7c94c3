/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PTS's steady-state rule at its limits and compared with R's lm, and the statistical verdict.
 */
#include "stat/steady/steady.h"

#include "check.h"
#include "simulated.h"

static struct arena arena;

static bool is_steady(double a, double b, double c, double d, double e)
{
    const double y[STEADY_WINDOW] = {a, b, c, d, e};
    return steady_window_of(y).steady;
}

/* R: y <- c(103.2, 98.7, 101.5, 99.1, 97.4); coef(lm(y ~ I(0:4))) */
static void check_line_as_lm(void)
{
    const double y[STEADY_WINDOW] = {103.2, 98.7, 101.5, 99.1, 97.4};
    struct steady_window w = steady_window_of(y);
    CHECK_NEAR(w.first, 102.2199999999999847, 1e-12);
    CHECK_NEAR(w.slope, -1.1199999999999974, 1e-12);
    CHECK_NEAR(w.mean, 99.98, 1e-12);
    CHECK_NEAR(w.range, (103.2 - 97.4) / 99.98, 1e-12);
    CHECK_NEAR(w.change, 4 * -1.12 / 99.98, 1e-12);
    CHECK(w.steady && w.min == 97.4 && w.max == 103.2);
}

/* A value exactly on a limit is within it, one just beyond is not. */
static void check_limits(void)
{
    CHECK(is_steady(100, 110, 90, 110, 90)); /* range .20, change -.08 */
    CHECK(is_steady(100, 110, 90, 100, 100));
    CHECK(!is_steady(100, 110.01, 90, 100, 100));
    CHECK(is_steady(95, 97.5, 100, 102.5, 105)); /* change exactly .10 */
    CHECK(!is_steady(94.99, 97.5, 100, 102.5, 105.01));
    CHECK(is_steady(105, 102.5, 100, 97.5, 95));
    CHECK(!is_steady(105.01, 102.5, 100, 97.5, 94.99));
    for (int k = 1; k < 50;
         k++) { /* the same limits in units that a double cannot represent exactly */
        double u = 0.1 * k;
        CHECK(is_steady(100 * u, 110 * u, 90 * u, 100 * u, 100 * u));
        CHECK(is_steady(95 * u, 97.5 * u, 100 * u, 102.5 * u, 105 * u));
    }
    CHECK(is_steady(7, 7, 7, 7, 7));
    CHECK(!is_steady(0, 0, 0, 0, 0));
    CHECK(!is_steady(-7, -7, -7, -7, -7));
    CHECK(!is_steady(7, 7, (double)NAN, 7, 7));
    CHECK(!is_steady(7, 7, (double)INFINITY, 7, 7));
}

/* The first window in which all values are steady at once, not each in a different window. */
static void check_rounds(void)
{
    const double falls[] = {200, 160, 130, 110, 104, 102, 101, 100, 100, 100};
    const double rises[] = {10, 10, 10, 10, 10, 14, 14, 14, 14, 14};
    const double *const one[] = {falls}, *const both[] = {falls, rises};
    CHECK_INT(steady_after(one, 1, 10), 8);
    CHECK_INT(steady_after(one, 1, 7), 0);
    CHECK_INT(steady_after(one, 1, 4), 0);
    CHECK_INT(steady_after(both, 2, 10), 10);
    CHECK_INT(steady_after(both, 2, 9), 0);
}

/* R: y <- c(114, 113.1, ...); f <- lm(y ~ I(1:6)); confint(f): the last half of twelve rounds */
static void check_drift_as_lm(void)
{
    const double y[] = {151, 137, 128, 121.5, 118, 116.2, 114, 113.1, 112.9, 112.2, 112.4, 111.8};
    struct drift d = drift_of(y, 12, true, 0.95, &arena);
    CHECK_INT(d.begin, 6);
    CHECK_INT(d.end, 12);
    CHECK_NEAR(d.mean.mean, 112.73333333333333, 1e-12);
    CHECK_NEAR(d.change, 4 * -0.39428571428572118 / d.mean.mean, 1e-9);
    CHECK_NEAR(d.low, 4 * -0.57987247685623133 / d.mean.mean, 1e-9);
    CHECK_NEAR(d.high, 4 * -0.20869895171521102 / d.mean.mean, 1e-9);
    CHECK_INT(d.verdict, DRIFT_STEADY);
    const double level[] = {100, 101, 99, 100, 100.5}, steep[] = {100, 80, 60, 41, 20};
    CHECK_INT(drift_of(level, 5, true, 0.95, &arena).verdict, DRIFT_STEADY);
    CHECK_INT(drift_of(steep, 5, true, 0.95, &arena).verdict, DRIFT_DRIFTING);
    const double scattered[] = {100, 104, 96, 103, 97};
    CHECK(is_steady(100, 104, 96, 103, 97));
    CHECK_INT(drift_of(scattered, 5, true, 0.95, &arena).verdict, DRIFT_UNDECIDED);
    CHECK_INT(drift_of(level, 2, true, 0.95, &arena).verdict, DRIFT_UNDECIDED);
    CHECK(isnan(drift_of(level, 2, true, 0.95, &arena).change));
}

#define SERIES 2000

/* Counts how often each of the two rules calls rounds steady: rounds about 100 with noise `sd`,
   while the level changes by the share `change` over every window. */
static void simulate(double sd, double change, double *share_of_rule, double *share_of_drift)
{
    uint64_t state = 7;
    size_t rule = 0, drift = 0;
    for (size_t s = 0; s < SERIES; s++) {
        double y[STEADY_ROUNDS_MAX];
        for (size_t i = 0; i < STEADY_ROUNDS_MAX; i++)
            y[i] = 100 * pow(1 - change, (double)i / 4) * (1 + sd * simulated_normal(&state));
        const double *const tracked[] = {y};
        size_t after = steady_after(tracked, 1, STEADY_ROUNDS_MAX);
        rule += after > 0;
        drift += drift_of(y, after ? after : STEADY_ROUNDS_MAX, true, 0.95, &arena).verdict ==
                 DRIFT_STEADY;
    }
    *share_of_rule = (double)rule / SERIES;
    *share_of_drift = (double)drift / SERIES;
}

static void check_errors(void)
{
    double rule, drift;
    simulate(0.01, 0, &rule, &drift); /* stationary: both rules call it steady */
    CHECK(rule == 1 && drift > 0.99);
    simulate(0.05, 0.20, &rule, &drift); /* a drift of twice the permitted one, with noise of 5 % */
    CHECK(rule > 0.35 && rule < 0.45);
    CHECK(drift < 0.01);
    /* a constant level with so much noise that the rule often fails */
    simulate(0.15, 0, &rule, &drift);
    CHECK(rule > 0.65 && rule < 0.75 && drift < 0.1);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, drift_scratch_bytes(STEADY_ROUNDS_MAX), &e))
        return 1;
    check_line_as_lm();
    check_limits();
    check_rounds();
    check_drift_as_lm();
    check_errors();
    arena_free(&arena);
    return check_result();
}
