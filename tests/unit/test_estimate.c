/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interval of a mean compared with R, and on series of every kind. */
#include "stat/estimate/estimate.h"

#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "stat/estimate/internal.h"
#include "tests/unit/cases.h"

#define LONG_SERIES 1000000

static const struct estimate_config spectral = {INTERVAL_SPECTRAL, 0.95, 0.1};
static const struct estimate_config pilot = {INTERVAL_PILOT, 0.95, 0.1};
static struct arena arena;
static double x[LONG_SERIES], y[LONG_SERIES];

static double half_width(const struct estimate *e)
{
    return (e->high - e->low) / 2;
}

/* Fills `to` with 100 + AR(1) noise of that standard deviation; its innovations are uniform. */
static void fill(double to[], size_t n, double phi, double sd, uint64_t seed)
{
    struct random r;
    double state = 0, scale = sd * sqrt(12 * (1 - phi * phi));
    random_seed(&r, seed, 0);
    for (size_t i = 0; i < n; i++)
        to[i] = 100 + (state = phi * state + scale * (random_unit(&r) - 0.5));
}

static void check_spectral(const struct expected_row *row, const double readings[], size_t n)
{
    struct estimate e = estimate_mean(readings, n, &spectral, &arena);
    double half = (row->value[1] - row->value[0]) / 2;
    CHECK_NEAR(e.low, row->value[0], 1e-9);
    CHECK_NEAR(e.high, row->value[1], 1e-9);
    CHECK_NEAR(half_width(&e), half,
               1e-6); /* the ends of offset120 have 16 digits, of which 8 matter here */
    CHECK_NEAR(e.effective_n, fmax(row->value[2], 3), 1e-7); /* never fewer */
    CHECK_INT(e.n, n);
    CHECK_NEAR(e.mean, mean_of(readings, n), 0);
    CHECK_NEAR(e.sd, standard_deviation_of(readings, n, e.mean), 0);
    CHECK_NEAR(e.autocorrelation, autocorrelation_of(readings, n, e.mean, 1), 0);
}

static void test_golden(void)
{
    static struct cases c;
    struct expected_row row;
    int rows = 0;
    if (!cases_open(&c, "tests/golden"))
        return;
    while (cases_next(&c, &row))
        if (cases_is(&row, "spectral_ci") && cases_load(&c, &row)) {
            check_spectral(&row, c.x, c.n);
            rows++;
        }
    CHECK(rows >= 11);
}

/* Pilot's interval is computed from the subsessions that Pilot chooses. */
static void test_pilot(void)
{
    fill(x, 3000, 0.7, 5, 11);
    struct estimate e = estimate_mean(x, 3000, &pilot, &arena);
    struct subsessions s = subsessions_of(x, 3000, mean_of(x, 3000), &arena);
    struct subsession chosen = subsession_at(&s, subsession_size_pilot(&s, 0.1));
    arena_reset(&arena, 0);
    CHECK(e.subsession_size > 1);
    CHECK_INT(e.subsession_size, chosen.size);
    CHECK_INT(e.subsessions, chosen.count);
    CHECK_NEAR(e.effective_n, (double)chosen.count, 0);
    CHECK_NEAR(2 * half_width(&e), subsession_interval_width(&chosen, 0.95), 1e-12);
}

/* Shifting and scaling the readings shifts and scales all results in their unit. */
static void test_units(void)
{
    fill(x, 500, 0.6, 5, 3);
    for (size_t i = 0; i < 500; i++)
        y[i] = 1e6 * x[i] - 7;
    struct estimate a = estimate_mean(x, 500, &spectral, &arena);
    struct estimate b = estimate_mean(y, 500, &spectral, &arena);
    CHECK_NEAR(b.low, 1e6 * a.low - 7, 1e-12);
    CHECK_NEAR(b.high, 1e6 * a.high - 7, 1e-12);
    CHECK_NEAR(b.sd, 1e6 * a.sd, 1e-9);
    CHECK_NEAR(b.effective_n, a.effective_n, 1e-9);
    CHECK_INT(b.subsession_size, a.subsession_size);
}

/* Three stalls in a row, in units in which a fourth power exceeds a double's range. */
static void test_stalls_in_any_unit(void)
{
    fill(x, 500, 0, 5, 12);
    for (size_t i = 200; i < 203; i++)
        x[i] = 10;
    for (size_t i = 0; i < 500; i++)
        y[i] = ldexp(x[i], 270);
    struct estimate a = estimate_mean(x, 500, &spectral, &arena);
    struct estimate b = estimate_mean(y, 500, &spectral, &arena);
    CHECK_NEAR(ldexp(b.low, -270), a.low, 1e-12);
    CHECK_NEAR(ldexp(b.high, -270), a.high, 1e-12);
}

static void test_confidence(void)
{
    fill(x, 400, 0.3, 5, 4);
    struct estimate_config config = spectral;
    double before = 0;
    for (int percent = 80; percent < 100; percent += 4) {
        config.confidence = percent / 100.0;
        struct estimate e = estimate_mean(x, 400, &config, &arena);
        CHECK(half_width(&e) > before);
        CHECK_NEAR(e.confidence, config.confidence, 0);
        before = half_width(&e);
    }
}

static void test_constant_and_short(void)
{
    struct estimate e = estimate_mean(x, 0, &spectral, &arena);
    CHECK(isnan(e.mean));
    CHECK(isinf(e.low) && isinf(e.high));
    x[0] = 40, x[1] = 60;
    e = estimate_mean(x, 1, &spectral, &arena);
    CHECK_NEAR(e.mean, 40, 0);
    CHECK(isinf(e.low) && isinf(e.high) && isnan(e.sd));
    CHECK_INT(e.n, 1);
    e = estimate_mean(x, 2, &spectral, &arena); /* Student's t of one degree of freedom */
    CHECK_NEAR(e.mean, 50, 0);
    CHECK_NEAR(e.sd, sqrt(200), 1e-12);
    CHECK_NEAR(half_width(&e), 12.706204736174694 * 10, 1e-9);
    CHECK_NEAR(e.effective_n, 2, 0);
    for (size_t i = 0; i < 100; i++)
        y[i] = 42;
    for (size_t n = 3; n <= 100; n += 97) {
        e = estimate_mean(y, n, &spectral, &arena);
        CHECK_NEAR(e.low, 42, 0);
        CHECK_NEAR(e.high, 42, 0);
        CHECK_NEAR(e.effective_n, (double)n, 0);
        CHECK_INT(e.subsession_size, 1);
    }
}

/* With a trend the mean has no meaning: the interval spans a large part of the range, however long
   the series is. */
static void test_trend(void)
{
    for (size_t n = 100; n <= 100000; n *= 10) {
        fill(y, n, 0, 1, n);
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] + 100 * (double)i / (double)n;
        struct estimate e = estimate_mean(x, n, &spectral, &arena);
        CHECK(half_width(&e) > 50);
        CHECK(e.effective_n < 6);
    }
}

/* Long series are computed from batch means; the interval shows no step where that begins. */
static void test_long(void)
{
    const double phi[] = {0, 0.9};
    for (size_t k = 0; k < 2; k++) {
        double ideal = 1.96 * 5 * sqrt((1 + phi[k]) / (1 - phi[k]));
        fill(x, LONG_SERIES, phi[k], 5, 21 + k);
        for (size_t n = 8191; n <= LONG_SERIES; n = n * 11 + 1) {
            struct estimate e = estimate_mean(x, n, &spectral, &arena);
            CHECK_NEAR(half_width(&e), ideal / sqrt((double)n), 0.25);
            CHECK_NEAR(e.effective_n, (double)n * (1 - phi[k]) / (1 + phi[k]), 0.3);
        }
    }
}

/* Alternating readings have a more certain mean than independent ones; effective_n is limited to n.
 */
static void test_negative_autocorrelation(void)
{
    fill(x, 4000, -0.5, 5, 5);
    struct estimate e = estimate_mean(x, 4000, &spectral, &arena);
    double independent = 1.96 * 5 / sqrt(4000);
    CHECK(half_width(&e) < 0.7 * independent);
    CHECK(half_width(&e) > 0.5 * independent);
    CHECK_NEAR(e.effective_n, 4000, 0);
}

/* Alternating readings without noise: the mean still depends on where the series ends. */
static void test_alternation(void)
{
    for (size_t n = 7; n <= 20001; n = 3 * n + (n % 2 == 0)) {
        for (size_t i = 0; i < n; i++)
            x[i] = i % 2 ? 90 : 110;
        struct estimate e = estimate_mean(x, n, &spectral, &arena);
        CHECK(e.low <= 100 && 100 <= e.high);
        /* no wider than for independent readings */
        CHECK(half_width(&e) < 10 * 3 / sqrt((double)n));
    }
}

/* If no size passes the test together with twice that size, the first size that passes alone is
   used. */
static void test_subsession_size(void)
{
    for (size_t i = 0; i < 12; i++)
        x[i] = i % 4 < 2 ? 90 : 110;
    struct subsessions s = subsessions_of(x, 12, 100, &arena);
    arena_reset(&arena, 0);
    CHECK_INT(subsession_size_robust(&s, 0.1), 0);
    CHECK_INT(estimate_mean(x, 12, &spectral, &arena).subsession_size,
              subsession_size_pilot(&s, 0.1));
}

/* With equal denominators a ratio of sums is a mean. */
static void test_ratio_of_equal_parts(void)
{
    static double denominator[1000];
    fill(x, 1000, 0.5, 5, 6);
    for (size_t i = 0; i < 1000; i++)
        denominator[i] = 8;
    struct estimate ratio = estimate_ratio(x, denominator, 1000, &spectral, &arena);
    struct estimate mean = estimate_mean(x, 1000, &spectral, &arena);
    CHECK_NEAR(ratio.mean, mean.mean / 8, 1e-12);
    CHECK_NEAR(half_width(&ratio), half_width(&mean) / 8, 1e-9);
    CHECK_NEAR(ratio.effective_n, mean.effective_n, 1e-9);
}

/* Sums proportional to their counts: the ratio is exact although both vary widely. */
static void test_ratio_of_dependent_parts(void)
{
    static double count[2000], sum[2000];
    struct random r;
    random_seed(&r, 8, 0);
    for (size_t i = 0; i < 2000; i++) {
        count[i] = 10 + (double)random_below(&r, 1000);
        sum[i] = 3 * count[i];
    }
    struct estimate e = estimate_ratio(sum, count, 2000, &spectral, &arena);
    CHECK_NEAR(e.mean, 3, 1e-14);
    CHECK(half_width(&e) < 1e-9);
    for (size_t i = 0; i < 2000; i++)
        sum[i] += 12 * (random_unit(&r) - 0.5) * sqrt(count[i]);
    /* The variance of the ratio: 12 sum(count) / sum(count)^2. */
    e = estimate_ratio(sum, count, 2000, &spectral, &arena);
    double expected = 1.96 * sqrt(12 / (509.5 * 2000));
    CHECK_NEAR(half_width(&e), expected, 0.1);
    CHECK(e.low < 3 && 3 < e.high);
    count[0] = sum[0] = 0;
    struct estimate none = estimate_ratio(sum, count, 1, &spectral, &arena);
    CHECK(isnan(none.mean) && isinf(none.high));
}

/* The computed scratch size suffices, and the memory is given back. */
static void test_scratch(void)
{
    const size_t sizes[] = {3, 10, 100, 8191, 8192, 100000};
    for (size_t i = 0; i < 6; i++) {
        struct arena exact;
        CHECK_INT(arena_init(&exact, estimate_scratch_bytes(sizes[i]), NULL), 0);
        struct estimate e = estimate_ratio(x, y, sizes[i], &spectral, &exact);
        CHECK_INT(e.n, sizes[i]);
        CHECK_INT(exact.used, 0);
        arena_free(&exact);
    }
}

int main(void)
{
    CHECK_INT(arena_init(&arena, estimate_scratch_bytes(LONG_SERIES), NULL), 0);
    test_golden();
    test_pilot();
    test_units();
    test_stalls_in_any_unit();
    test_confidence();
    test_constant_and_short();
    test_trend();
    test_long();
    test_negative_autocorrelation();
    test_alternation();
    test_subsession_size();
    test_ratio_of_equal_parts();
    test_ratio_of_dependent_parts();
    test_scratch();
    arena_free(&arena);
    return check_result();
}
