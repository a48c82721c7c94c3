/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interval over sessions: known numbers (R: t.test, var), and simulated machines whose level
 * varies between sessions.
 */
#include "stat/estimate/session_spread.h"

#include "check.h"
#include "simulated.h"

#define RUNS 4000

/* t.test(c(102.1, 98.4, 101.7, 95.2, 103)): mean 100.08, interval 96.06288 to 104.09712. */
static void check_known(void)
{
    /* The sessions' own intervals are +-2 from 11 independent readings: t_{.975,10} = 2.228138852.
     */
    static const double means[] = {102.1, 98.4, 101.7, 95.2, 103};
    struct session_value v[5];
    for (size_t i = 0; i < 5; i++)
        v[i] = (struct session_value){means[i], means[i] - 2, means[i] + 2, 11};
    struct session_spread s = session_spread_of(v, 5, 0.95);
    const double sd = 3.2352743314956403, t4 = 2.7764451051977987, t10 = 2.2281388519649385;
    CHECK_INT(s.n, 5);
    CHECK_NEAR(s.mean, 100.08, 1e-12);
    CHECK_NEAR(s.sd, sd, 1e-9);
    CHECK_NEAR(s.low, 100.08 - t4 * sd / sqrt(5), 1e-9);
    CHECK_NEAR(s.high, 104.09712, 1e-6);
    double within = 2 / t10;
    CHECK_NEAR(s.within, within, 1e-9);
    CHECK_NEAR(s.between, sqrt(sd * sd - within * within), 1e-9);
    CHECK_NEAR(s.intraclass, 1 - within * within / (sd * sd), 1e-9);
    CHECK_INT(s.holding, 2); /* 98.4 and 101.7 */

    /* 90 %: t_{.95,4} = 2.131846786. */
    s = session_spread_of(v, 5, 0.9);
    CHECK_NEAR(s.high, 100.08 + 2.13184678632665 * sd / sqrt(5), 1e-9);

    /* Two sessions: t_{.975,1} = 12.7062. */
    s = session_spread_of(v, 2, 0.95);
    CHECK_NEAR(s.high - s.low, 2 * 12.706204736432095 * 2.6162950903902256 / sqrt(2), 1e-9);
}

static void check_edges(void)
{
    struct session_value v[3] = {
        {5, 4, 6, 20}, {5, (double)NAN, (double)NAN, (double)NAN}, {5, 4.5, 5.5, 20}};
    struct session_spread s = session_spread_of(v, 0, 0.95);
    CHECK(isnan(s.mean) && isnan(s.low) && s.n == 0);
    s = session_spread_of(v, 1, 0.95);
    CHECK(s.mean > 4.99 && isnan(s.low) && isnan(s.sd) && s.holding == 1);
    CHECK_INT(session_spread_required(&s, 0.1, 0.95), 0);
    /* One session has no interval: the variation within sessions is unknown, but the interval over
       them is known. */
    s = session_spread_of(v, 3, 0.95);
    CHECK(isnan(s.within) && isnan(s.between) && isnan(s.intraclass));
    CHECK(s.sd <= 0 && s.low >= 5 && s.high <= 5 && s.holding == 2);
    CHECK_INT(session_spread_required(&s, 0.1, 0.95), 2);
    /* Sessions that differ less than their own intervals: there is no variation between them. */
    v[1] = v[2];
    v[1].mean = 5.01;
    s = session_spread_of(v, 3, 0.95);
    CHECK(s.between <= 0 && s.intraclass <= 0 && s.within > 0.1);
}

/* The smallest K with 2 t sd / sqrt(K) <= width: with one session fewer it is not met. */
static void check_required(void)
{
    struct session_spread s = {.n = 5, .mean = 100, .sd = 5};
    /* 2 t_{K-1} 5 / sqrt(K) <= 10: t/sqrt(K) <= 1; t_{.975,5} / sqrt(6) = 1.049, t_{.975,6} /
     * sqrt(7) = .925. */
    CHECK_INT(session_spread_required(&s, 0.1, 0.95), 7);
    s.sd = 50; /* t / sqrt(K) <= .1: 387 by R's qt */
    CHECK_INT(session_spread_required(&s, 0.1, 0.95), 387);
    s.sd = 1e9;
    CHECK_INT(session_spread_required(&s, 0.1, 0.95), 0);
    s.mean = 0;
    CHECK_INT(session_spread_required(&s, 0.1, 0.95), 0);
}

/* Returns a session at `level` whose own interval is correct for that level. */
static struct session_value session_at(double level, double own_sd, uint64_t *state)
{
    double mean = level + own_sd * simulated_normal(state);
    return (struct session_value){mean, mean - 1.96 * own_sd, mean + 1.96 * own_sd, 1e6};
}

/* Independent levels: the interval over 5 sessions contains the machine's mean, the interval of a
   single session does not. */
static void check_coverage(bool skewed)
{
    uint64_t state = 20261122;
    size_t all = 0, single = 0;
    double intraclass = 0;
    const double sigma = 0.05;
    for (int run = 0; run < RUNS; run++) {
        struct session_value v[5];
        double truth = skewed ? 1000 * exp(sigma * sigma / 2) : 1000;
        for (size_t i = 0; i < 5; i++) {
            double z = simulated_normal(&state);
            v[i] = session_at(skewed ? 1000 * exp(sigma * z) : 1000 + 50 * z, 10, &state);
        }
        struct session_spread s = session_spread_of(v, 5, 0.95);
        all += s.low <= truth && s.high >= truth;
        single += v[0].low <= truth && v[0].high >= truth;
        intraclass += s.intraclass / RUNS;
    }
    printf("%s levels: coverage %.4f over 5 sessions, %.4f of one; intraclass %.3f\n",
           skewed ? "lognormal" : "normal", (double)all / RUNS, (double)single / RUNS, intraclass);
    CHECK((double)all / RUNS >= 0.94);
    CHECK((double)single / RUNS < 0.4);
    CHECK(intraclass > 0.9 &&
          intraclass < 0.97); /* 2500 / 2600 = .96, and a little less on average */
}

/* A varying level with correlation .9 between steps: sessions in neighbouring steps share it,
   sessions 40 steps apart do not. */
static double wandering_coverage(size_t apart)
{
    enum { STEPS = 200 };
    uint64_t state = 1122;
    size_t held = 0;
    for (int run = 0; run < RUNS; run++) {
        double level[STEPS];
        struct session_value v[5];
        simulated_ar1(level, STEPS, 0.9, &state);
        for (size_t i = 0; i < 5; i++)
            v[i] = session_at(1000 + level[i * apart], 0.1, &state);
        struct session_spread s = session_spread_of(v, 5, 0.95);
        held += s.low <= 1000 && s.high >= 1000;
    }
    return (double)held / RUNS;
}

static void check_wandering(void)
{
    double close = wandering_coverage(1), spread = wandering_coverage(40);
    printf("a wandering level: coverage %.4f close together, %.4f spread\n", close, spread);
    CHECK(close < 0.7);
    CHECK(spread >= 0.93);
}

int main(void)
{
    check_known();
    check_edges();
    check_required();
    check_coverage(false);
    check_coverage(true);
    check_wandering();
    return check_result();
}
