/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times between arrivals: their distributions, and that the mean of every kind is 1. */
#include "check.h"
#include "goodness.h"
#include "source/generator/internal.h"

enum { GAPS = 100000 };

static double gaps[GAPS];

static double draw(enum arrival_kind kind, double parameter, uint64_t seed)
{
    const struct arrival_spec spec = {.kind = kind, .parameter = parameter};
    struct arrival arrival;
    struct random random;
    double sum = 0;
    arrival_init(&arrival, &spec);
    arrival_begin(&arrival);
    random_seed(&random, seed, 0);
    for (size_t i = 0; i < GAPS; i++) {
        gaps[i] = arrival_gap(&arrival, &random);
        sum += gaps[i];
    }
    return sum / GAPS;
}

static double sample_sd(double mean)
{
    double squares = 0;
    for (size_t i = 0; i < GAPS; i++) {
        squares += (gaps[i] - mean) * (gaps[i] - mean);
    }
    return sqrt(squares / (GAPS - 1));
}

static double exponential_cdf(double x)
{
    return -expm1(-x);
}

static double pareto_shape, normal_spread;

/* The distribution with mean 1; its minimum is (shape - 1) / shape. */
static double pareto_cdf(double x)
{
    double least = (pareto_shape - 1) / pareto_shape;
    return x < least ? 0 : 1 - pow(least / x, pareto_shape);
}

static double phi(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* Returns the m for which N(m, (m c)^2) cut off at 0 has mean 1, by bisection. */
static double normal_location(void)
{
    double low = 0.1, high = 1;
    for (int i = 0; i < 200; i++) {
        double m = (low + high) / 2, z = 1 / normal_spread;
        double mean = m + m * normal_spread * exp(-z * z / 2) / sqrt(2 * acos(-1)) / phi(z);
        *(mean < 1 ? &low : &high) = m;
    }
    return low;
}

static double normal_cdf(double x)
{
    static double location, of_spread;
    if (of_spread != normal_spread) {
        location = normal_location();
        of_spread = normal_spread;
    }
    double below = phi(-1 / normal_spread);
    return (phi((x / location - 1) / normal_spread) - below) / (1 - below);
}

static void test_exponential(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        CHECK_NEAR(draw(ARRIVAL_POISSON, 0, seed), 1, 4 / sqrt(GAPS));
        CHECK(kolmogorov(gaps, GAPS, exponential_cdf) < KOLMOGOROV_LIMIT);
    }
}

/* Poisson: the counts in equal intervals have a variance equal to their mean. */
static void test_counts(void)
{
    static double counts[GAPS];
    double at = 0, per_interval = 10;
    size_t intervals = (size_t)(GAPS / per_interval * 0.9);
    draw(ARRIVAL_POISSON, 0, 77);
    for (size_t i = 0; i < GAPS; i++) {
        at += gaps[i];
        size_t interval = (size_t)(at / per_interval);
        if (interval < intervals) {
            counts[interval]++;
        }
    }
    double sum = 0, squares = 0;
    for (size_t i = 0; i < intervals; i++) {
        sum += counts[i];
    }
    double mean = sum / (double)intervals;
    for (size_t i = 0; i < intervals; i++) {
        squares += (counts[i] - mean) * (counts[i] - mean);
    }
    CHECK_NEAR(squares / (double)intervals / mean, 1, 4 * sqrt(2.0 / (double)intervals));
}

static void test_normal(void)
{
    static const double spreads[] = {.05, .25, .5, 1};
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        normal_spread = spreads[i];
        double mean = draw(ARRIVAL_NORMAL, spreads[i], 3 + i), sd = sample_sd(mean);
        CHECK(fabs(mean - 1) < 4 * sd / sqrt(GAPS));
        CHECK(kolmogorov(gaps, GAPS, normal_cdf) < KOLMOGOROV_LIMIT);
        CHECK(gaps[0] >= 0); /* sorted by now */
    }
}

static void test_pareto(void)
{
    static const double shapes[] = {1.2, 1.5, 2, 3, 10};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        pareto_shape = shapes[i];
        double mean = draw(ARRIVAL_PARETO, shapes[i], 11 + i);
        if (shapes[i] >= 3) { /* below 3 the variance is infinite */
            CHECK(fabs(mean - 1) < 4 * sample_sd(mean) / sqrt(GAPS));
        }
        CHECK(kolmogorov(gaps, GAPS, pareto_cdf) < KOLMOGOROV_LIMIT);
    }
}

static void test_uniform_and_burst(void)
{
    CHECK(draw(ARRIVAL_UNIFORM, 0, 1) == 1);
    CHECK(sample_sd(1) == 0);

    double mean = draw(ARRIVAL_BURST, 16, 5);
    size_t bursts = 0, wrong = 0;
    for (size_t i = 0; i < GAPS; i++) {
        wrong += (gaps[i] > 0) != (i % 16 == 0);
        if (gaps[i] > 0) {
            gaps[bursts++] = gaps[i] / 16;
        }
    }
    CHECK_INT(wrong, 0);
    CHECK_NEAR(mean, 1, 4 * 4 / sqrt(GAPS));
    CHECK(kolmogorov(gaps, bursts, exponential_cdf) < KOLMOGOROV_LIMIT);
}

static void test_same_seed(void)
{
    for (int kind = 0; kind < ARRIVAL_KINDS; kind++) {
        double parameter = kind == ARRIVAL_NORMAL ? .25 : kind == ARRIVAL_PARETO ? 1.5 : 16;
        double first = draw((enum arrival_kind)kind, parameter, 9), last = gaps[GAPS - 1];
        CHECK(draw((enum arrival_kind)kind, parameter, 9) == first && gaps[GAPS - 1] == last);
    }
}

static void test_durations(void)
{
    struct random random;
    random_seed(&random, 4, 0);
    struct duration_spec duration = {.kind = DURATION_NONE, .ns = 5};
    CHECK_INT(duration_draw(&duration, &random), 0);
    duration.kind = DURATION_FIXED;
    CHECK_INT(duration_draw(&duration, &random), 5);

    duration = (struct duration_spec){.kind = DURATION_EXPONENTIAL, .ns = 1000000};
    for (size_t i = 0; i < GAPS; i++) {
        gaps[i] = (double)duration_draw(&duration, &random) / 1e6;
    }
    CHECK(kolmogorov(gaps, GAPS, exponential_cdf) < KOLMOGOROV_LIMIT);

    duration = (struct duration_spec){.kind = DURATION_UNIFORM, .ns = 9};
    double seen[10] = {0}, expected[10];
    for (size_t i = 0; i < GAPS; i++) {
        uint64_t ns = duration_draw(&duration, &random);
        CHECK(ns <= 9);
        seen[ns <= 9 ? ns : 9]++;
    }
    for (size_t i = 0; i < 10; i++) {
        expected[i] = GAPS / 10.0;
    }
    CHECK(pearson(seen, expected, 10) < PEARSON_LIMIT);
}

int main(void)
{
    test_exponential();
    test_counts();
    test_normal();
    test_pareto();
    test_uniform_and_burst();
    test_same_seed();
    test_durations();
    return check_result();
}
