/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes of the level over sessions: how often one is found where there is none, whether an
 * existing one is found, and where; and the width of predictions for sessions of other lengths.
 */
#include "check.h"
#include "run/history/internal.h"
#include "simulated.h"

#define HISTORIES 2000
#define LONGEST   100

struct kind {
    double correlation;
    /* standard error of a session, relative to a standard deviation of 1 between levels */
    double own;
    double busy; /* share of sessions with eight times that error */
    bool heavy;  /* Student's t with 3 degrees of freedom */
};

static double student_3(uint64_t *state)
{
    double squares = 0;
    const double z = simulated_normal(state);
    for (int i = 0; i < 3; i++) {
        const double y = simulated_normal(state);
        squares += y * y;
    }
    return z / sqrt(squares / 3) / sqrt(3); /* of variance 1 */
}

static void simulate(const struct kind *k, size_t n, double mean[], double error[], uint64_t *state)
{
    double level = 0;
    for (size_t i = 0; i < n; i++) {
        const double z = k->heavy ? student_3(state) : simulated_normal(state);
        level = i ? k->correlation * level + sqrt(1 - k->correlation * k->correlation) * z : z;
        error[i] = k->own * (simulated_uniform(state) < k->busy ? 8 : 1);
        mean[i] = 1000 + level + error[i] * simulated_normal(state);
    }
}

/* A history without a change shows one in at most 1 % of the cases; the bound adds three standard
   errors of this simulation. */
static void check_false_alarms(void)
{
    static const struct kind kinds[] = {{.correlation = 0},
                                        {.correlation = 0.5},
                                        {.correlation = 0.5, .heavy = true},
                                        {.correlation = 0.5, .own = 0.5},
                                        {.correlation = 0.5, .own = 0.5, .busy = 0.2},
                                        {.heavy = true}};
    static const size_t lengths[] = {8, 9, 12, 20, 50, LONGEST};
    const double bound = 0.01 + 3 * sqrt(0.01 * 0.99 / HISTORIES);
    uint64_t state = 28;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            double mean[LONGEST], error[LONGEST];
            size_t cuts[4], found = 0;
            for (int i = 0; i < HISTORIES; i++) {
                simulate(&kinds[k], lengths[l], mean, error, &state);
                found += session_levels_find(mean, error, lengths[l], cuts, 4) > 0 ||
                         session_levels_trend(mean, lengths[l]) != 0;
            }
            if (!check_that((double)found / HISTORIES <= bound, __FILE__, __LINE__, "false alarms"))
                fprintf(stderr, "    kind %zu, %zu sessions: %zu of %d\n", k, lengths[l], found,
                        HISTORIES);
        }
}

/* A step of eight standard deviations is found where it is; one smaller than the sessions' own
   intervals is not. */
static void check_steps(void)
{
    uint64_t state = 7;
    const struct kind plain = {.correlation = 0};
    size_t found = 0, near = 0;
    for (int i = 0; i < 500; i++) {
        double mean[20], error[20];
        size_t cuts[4];
        simulate(&plain, 20, mean, error, &state);
        for (size_t k = 12; k < 20; k++)
            mean[k] -= 8;
        const size_t count = session_levels_find(mean, error, 20, cuts, 4);
        found += count > 0;
        near += count > 0 && cuts[0] == 12;
    }
    CHECK(found >= 498);
    CHECK(near >= 495);

    double mean[12], error[12];
    size_t cuts[4];
    for (size_t i = 0; i < 12; i++) {
        mean[i] = i < 6 ? 100 + (double)(i % 2) : 90 + (double)(i % 2);
        error[i] = 0.5;
    }
    CHECK_INT(session_levels_find(mean, error, 12, cuts, 4), 1);
    CHECK_INT(cuts[0], 6);
    for (size_t i = 0; i < 12; i++)
        error[i] = 8;
    CHECK_INT(session_levels_find(mean, error, 12, cuts, 4), 0);
}

/* Levels that return, and a slow movement without any step. */
static void check_shapes(void)
{
    const struct kind plain = {.correlation = 0};
    double mean[30], error[30];
    size_t cuts[4];
    uint64_t state = 11;
    simulate(&plain, 30, mean, error, &state);
    for (size_t i = 10; i < 20; i++)
        mean[i] -= 12;
    CHECK_INT(session_levels_find(mean, error, 30, cuts, 4), 2);
    CHECK_INT(cuts[0], 10);
    CHECK_INT(cuts[1], 20);
    CHECK_INT(session_levels_find(mean, error, 30, cuts, 1), 2);
    CHECK_INT(cuts[0], 10);
    CHECK_NEAR(session_levels_trend(mean, 30), 0, 1e-12);

    for (size_t i = 0; i < 30; i++)
        mean[i] = 1000 - (double)i + 0.5 * (double)(i % 2);
    CHECK_INT(session_levels_find(mean, error, 30, cuts, 4), 0);
    CHECK_NEAR(session_levels_trend(mean, 30), -29, 0.02);
    CHECK_NEAR(session_levels_trend(mean, 7), 0, 1e-12);
}

static void check_edges(void)
{
    double mean[30], error[30];
    size_t cuts[4];
    for (size_t i = 0; i < 30; i++) {
        mean[i] = 5;
        error[i] = NAN;
    }
    CHECK_INT(session_levels_find(mean, error, 30, cuts, 4), 0); /* constant */
    CHECK_INT(session_levels_find(mean, error, 7, cuts, 4), 0);
    CHECK_INT(session_levels_find(mean, error, 0, cuts, 4), 0);
    /* A single odd session is not a level. */
    for (size_t i = 0; i < 30; i++)
        mean[i] = 5 + 0.01 * (double)(i % 3);
    mean[14] = 1;
    CHECK_INT(session_levels_find(mean, error, 30, cuts, 4), 0);
}

/* Var(mean of n - mean of the next m) for independent readings is 1/n + 1/m. For d = .3 it comes
   from R: the sum of the autocovariances of fractional Gaussian noise with Hurst .8. */
static void check_predictions(void)
{
    CHECK_NEAR(prediction_stretch(10, 10, 0), 1, 1e-12);
    CHECK_NEAR(prediction_stretch(10, 40, 0), sqrt((1 + 0.25) / 2), 1e-12);
    CHECK_NEAR(prediction_stretch(40, 10, 0), sqrt((1 + 4.0) / 2), 1e-12);
    CHECK_NEAR(prediction_stretch(5, 5, 0.3), 1, 1e-12);
    /* Compared with the double sums of the covariances, for 60 readings after 40. */
    const double h = 0.8;
    double sums[3] = {0}; /* n with n, m with m, n with m */
    for (int i = 0; i < 100; i++)
        for (int k = 0; k < 100; k++) {
            const double lag = abs(i - k);
            const double c =
                (pow(lag + 1, 2 * h) - 2 * pow(lag, 2 * h) + pow(fabs(lag - 1), 2 * h)) / 2;
            sums[i < 40 && k < 40 ? 0 : i >= 40 && k >= 40 ? 1 : 2] += c;
        }
    const double difference = sums[0] / 1600 + sums[1] / 3600 - sums[2] / 2400;
    double equal[3] = {0};
    for (int i = 0; i < 80; i++)
        for (int k = 0; k < 80; k++) {
            const double lag = abs(i - k);
            const double c =
                (pow(lag + 1, 2 * h) - 2 * pow(lag, 2 * h) + pow(fabs(lag - 1), 2 * h)) / 2;
            equal[(i < 40) == (k < 40) ? 0 : 2] += c;
        }
    CHECK_NEAR(prediction_stretch(40, 60, h - 0.5),
               sqrt(difference / (equal[0] / 1600 - equal[2] / 1600)), 1e-9);
}

int main(void)
{
    check_false_alarms();
    check_steps();
    check_shapes();
    check_edges();
    check_predictions();
    return check_result();
}
