/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Burg's fit compared with R, and on series with known spectral density. */
#include "stat/estimate/autoregression.h"

#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "tests/unit/cases.h"

/* At most 10 log10(n) orders, for n up to 4096. */
#define YULE_WALKER_ORDERS 40

static struct arena arena;

static void check_burg(const struct expected_row *row, const double x[], size_t n)
{
    size_t most = (size_t)cases_param(row, "max");
    struct autoregression a = autoregression_fit(x, n, mean_of(x, n), most, &arena);
    CHECK_INT(a.order, row->value[0]);
    CHECK_NEAR(a.variance, row->value[1], 1e-9);
    double sum = 0;
    for (size_t i = 0; i < a.order; i++) {
        CHECK(fabs(a.coefficient[i] - row->value[2 + i]) < 1e-9);
        sum += a.coefficient[i];
    }
    CHECK(fabs(a.persistence - sum) < 1e-12);
}

static void test_golden(void)
{
    static struct cases c;
    struct expected_row row;
    int rows = 0;
    if (!cases_open(&c, "tests/golden"))
        return;
    while (cases_next(&c, &row))
        if (cases_is(&row, "burg") && cases_load(&c, &row)) {
            check_burg(&row, c.x, c.n);
            rows++;
        }
    CHECK(rows >= 30);
}

/*
 * The fit of R's ar() (Yule-Walker, from autocorrelations, by Levinson's recursion), which coda's
 * effectiveSize and spectrum0.ar use: another way to the same density. Returns the density.
 */
static double yule_walker_density(const double x[], size_t n, size_t *order)
{
    double mean = mean_of(x, n), a[YULE_WALKER_ORDERS] = {0};
    double variance = sum_of_squares(x, n, mean) / (double)n, best = HUGE_VAL, density = NAN;
    size_t most = (size_t)(10 * log10((double)n));
    for (size_t p = 0; p <= most; p++) {
        if (p > 0) {
            double before[YULE_WALKER_ORDERS], reach = 0, next = autocorrelation_of(x, n, mean, p),
                                               k;
            memcpy(before, a, sizeof a);
            for (size_t i = 1; i < p; i++) {
                double r = autocorrelation_of(x, n, mean, i);
                next -= before[p - 1 - i] * r;
                reach += before[i - 1] * r;
            }
            k = next / (1 - reach);
            for (size_t i = 0; i + 1 < p; i++)
                a[i] = before[i] - k * before[p - 2 - i];
            a[p - 1] = k;
            variance *= 1 - k * k;
        }
        double criterion = (double)n * log(variance) + 2 * (double)p;
        if (criterion >= best)
            continue;
        double sum = 0;
        for (size_t i = 0; i < p; i++)
            sum += a[i];
        best = criterion;
        *order = p;
        density = variance * (double)n / (double)(n - p - 1) / ((1 - sum) * (1 - sum));
    }
    return density;
}

/* Burg's fit of the same order is as good if there is no autocorrelation, or n is large. */
static void check_beside_coda(const struct expected_row *row, const double x[], size_t n)
{
    size_t order = 0, most = (size_t)(10 * log10((double)n));
    double density = yule_walker_density(x, n, &order), mean = mean_of(x, n);
    double size = (double)n * variance_of(x, n, mean) / density;
    if (cases_is(row, "effectiveSize"))
        CHECK_NEAR(size, row->value[0], 1e-9);
    else if (cases_is(row, "spectrum0.ar"))
        CHECK_NEAR(density, row->value[0], 1e-9);
    else
        CHECK_INT(order, row->value[0]);
    struct autoregression a = autoregression_fit(x, n, mean, most, &arena);
    if (a.order == 0 && order == 0)
        CHECK_NEAR(autoregression_density_at_zero(&a), density, 1e-9);
    else if (a.order == order && n > 1000)
        CHECK_NEAR(autoregression_density_at_zero(&a), density, 0.02);
}

static void test_beside_coda(const char *folder)
{
    static struct cases c;
    struct expected_row row;
    if (!cases_open(&c, folder))
        return;
    while (cases_next(&c, &row)) {
        bool coda = cases_is(&row, "effectiveSize") || cases_is(&row, "spectrum0.ar") ||
                    cases_is(&row, "spectrum0.ar.order");
        if (coda && cases_load(&c, &row))
            check_beside_coda(&row, c.x, c.n);
    }
}

/* AR(1) with .8 has 1/(1-.8)^2 = 25 times the density of its noise, which is uniform with variance
   1/12. */
static void test_known_density(void)
{
    static double x[100000];
    struct random r;
    random_seed(&r, 7, 0);
    double y = 0;
    for (size_t i = 0; i < 100000; i++)
        x[i] = 500 + (y = 0.8 * y + random_unit(&r) - 0.5);
    struct autoregression a = autoregression_fit(x, 100000, mean_of(x, 100000), 20, &arena);
    CHECK(a.order >= 1);
    CHECK_NEAR(a.coefficient[0], 0.8, 0.02);
    CHECK_NEAR(a.variance, 1.0 / 12, 0.02);
    CHECK_NEAR(autoregression_density_at_zero(&a), 25.0 / 12, 0.1);
}

static void test_edges(void)
{
    const double equal[] = {2, 2, 2, 2}, swing[] = {1, -1, 1, -1, 1, -1, 1, -1}, two[] = {1, 3};
    struct autoregression a = autoregression_fit(equal, 4, 2, 20, &arena);
    CHECK_INT(a.order, 0);
    CHECK_NEAR(autoregression_density_at_zero(&a), 0, 0);
    a = autoregression_fit(swing, 8, 0, 20, &arena);
    CHECK(isfinite(autoregression_density_at_zero(&a)));
    a = autoregression_fit(two, 2, 2, 20, &arena);
    CHECK_INT(a.order, 0);
    CHECK_NEAR(a.variance, 2, 1e-15);
    a = autoregression_fit(two, 1, 1, 20, &arena);
    CHECK_INT(a.order, 0);
    CHECK_INT(arena.used, 0);
}

int main(void)
{
    CHECK_INT(arena_init(&arena, autoregression_scratch_bytes(100000), NULL), 0);
    test_golden();
    const char *elsewhere = cases_elsewhere();
    if (elsewhere)
        test_beside_coda(elsewhere);
    test_known_density();
    test_edges();
    arena_free(&arena);
    return check_result();
}
