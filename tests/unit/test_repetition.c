/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The predicted next session: simulated sessions with known truth, and the calculation that
 * compares a second session with the prediction of the first.
 */
#include "stat/compare/repetition.h"

#include "check.h"
#include "simulated.h"
#include "simulations.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/judge.h"

#define READINGS 2500
#define PAIRS    500

static struct arena scratch;

static const struct judge_config config = {
    .changepoint = CHANGEPOINT_PELT,
    .estimate = {INTERVAL_SPECTRAL, 0.95, 0.2},
    .target_width = 0.1,
    .minimum_subsessions = 50,
    .higher_is_better = true,
};

static struct session_mean session_of(const double x[], size_t n)
{
    struct judgement j = judge(x, n, &config, &scratch);
    const bool predicts = judge_predicts(&j);
    return (struct session_mean){.mean = j.estimate.mean,
                                 .low = j.estimate.low,
                                 .high = j.estimate.high,
                                 .next_low = predicts ? j.estimate.next_low : (double)NAN,
                                 .next_high = predicts ? j.estimate.next_high : (double)NAN,
                                 .confidence = j.estimate.confidence,
                                 .effective_n = j.estimate.effective_n};
}

static void simulate(double x[], size_t n, double rho, double level, uint64_t *seed)
{
    simulated_ar1(x, n, rho, seed);
    for (size_t i = 0; i < n; i++)
        x[i] = level + x[i] * sqrt(1 - rho * rho);
}

/* Counts how often the next session's mean is inside the prediction of the one before, and how
   often the two are called different. */
static void check_pairs(double rho, uint64_t seed)
{
    static double x[2 * READINGS];
    const int pairs = simulation_runs(PAIRS);
    size_t predicted = 0, inside = 0, outside = 0;
    for (int i = 0; i < pairs; i++) {
        /* one process: the second session follows the first directly */
        simulate(x, 2 * READINGS, rho, 20, &seed);
        const struct session_mean first = session_of(x, READINGS);
        const struct session_mean second = session_of(x + READINGS, READINGS);
        if (!session_mean_predicts(&first) || !session_mean_predicts(&second))
            continue;
        const double mean = mean_of(x + READINGS, READINGS);
        const struct repetition r = repetition_of(&first, &second, 0.95);
        predicted++;
        inside += mean >= first.next_low && mean <= first.next_high;
        outside += second.mean < r.low || second.mean > r.high;
    }
    const double share = (double)inside / (double)predicted;
    printf("AR(1) %.1f: %zu of %d predicted; %.3f inside, %.3f outside of a repetition\n", rho,
           predicted, pairs, share, (double)outside / (double)predicted);
    CHECK_COUNT(predicted > 0.9 * pairs);
    const double slack = simulation_slack(0.95, pairs);
    CHECK_COUNT(share >= 0.93 - slack && share <= 0.97 + slack);
    CHECK_COUNT((double)outside <= (0.07 + slack) * (double)predicted);
}

/* A session at a level higher by 4 standard errors of the difference is detected. */
static void check_difference(uint64_t seed)
{
    static double x[READINGS];
    size_t found = 0;
    for (size_t i = 0; i < PAIRS / 5; i++) {
        simulate(x, READINGS, 0, 20, &seed);
        const struct session_mean first = session_of(x, READINGS);
        simulate(x, READINGS, 0, 20 + 4 * sqrt(2.0 / READINGS), &seed);
        const struct session_mean second = session_of(x, READINGS);
        const struct repetition r = repetition_of(&first, &second, 0.95);
        found += second.mean < r.low || second.mean > r.high;
    }
    CHECK(found >= 0.9 * PAIRS / 5);
}

/* Two sessions of ten independent readings with known standard deviations are compared by Welch's
   test, with the degrees of freedom that R gives for the data set "sleep": 17.77647. */
static void check_welch(void)
{
    const double t = student_t_quantile(0.975, 9), error[] = {1.789009657759162, 2.002248735796829};
    struct session_mean s[2];
    for (size_t i = 0; i < 2; i++) {
        const double arm = t * error[i] / sqrt(10), next = M_SQRT2 * arm;
        s[i] = (struct session_mean){.mean = 12,
                                     .low = 12 - arm,
                                     .high = 12 + arm,
                                     .next_low = 12 - next,
                                     .next_high = 12 + next,
                                     .confidence = 0.95,
                                     .effective_n = 10};
    }
    const double expected = student_t_quantile(0.975, 17.7764735161784913) *
                            sqrt((error[0] * error[0] + error[1] * error[1]) / 10);
    struct repetition r = repetition_of(&s[0], &s[1], 0.95);
    CHECK_NEAR(r.low, 12 - expected, 1e-9);
    CHECK_NEAR(r.high, 12 + expected, 1e-9);

    /* With long memory, a session right afterwards is more alike than one on another day. */
    struct session_mean alike = s[0];
    alike.next_low = alike.next_high = alike.mean;
    struct repetition same = repetition_of(&alike, &s[1], 0.95);
    CHECK_NEAR(same.low, r.low, 1e-9);

    /* The interval's arm towards the other mean counts: if the second is higher, the first one's
       upper and the second one's lower arm. */
    struct session_mean skewed = s[0];
    skewed.low -= 100;
    skewed.next_low -= 200;
    struct repetition wide = repetition_of(&skewed, &s[1], 0.95);
    CHECK_NEAR(wide.high, r.high, 1e-9);
    CHECK(wide.low < r.low - 50);

    skewed.next_high = (double)INFINITY;
    CHECK(isnan(repetition_of(&skewed, &s[1], 0.95).low));
    CHECK(isnan(repetition_of(&s[1], &skewed, 0.95).low));
}

int main(void)
{
    struct err e;
    CHECK(!arena_init(&scratch, judge_scratch_bytes(2 * READINGS), &e));
    check_welch();
    check_pairs(0, 11);
    check_pairs(0.9, 12);
    check_difference(13);
    arena_free(&scratch);
    return check_result();
}
