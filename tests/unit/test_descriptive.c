/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, spread, quantiles and autocorrelation compared with R. */
#include "stat/basic/descriptive.h"

#include "base/random.h"
#include "tests/unit/cases.h"

static void check_row(const struct expected_row *row, const double x[], size_t n)
{
    static double copy[CASE_READINGS];
    memcpy(copy, x, n * sizeof *x);
    double mean = mean_of(x, n), expected = row->value[0];
    if (cases_is(row, "mean"))
        CHECK_NEAR(mean, expected, 1e-13);
    else if (cases_is(row, "median"))
        CHECK_NEAR(median_of(copy, n), expected, 1e-13);
    else if (cases_is(row, "sd"))
        CHECK_NEAR(standard_deviation_of(x, n, mean), expected, 1e-11);
    else if (cases_is(row, "var"))
        CHECK_NEAR(variance_of(x, n, mean), expected, 1e-9);
    else if (cases_is(row, "quantile"))
        CHECK_NEAR(quantile_of(copy, n, cases_param(row, "p")), expected, 1e-13);
    else if (cases_is(row, "harmonic_mean"))
        CHECK_NEAR(harmonic_mean_of(x, n), expected, 1e-12);
    else if (cases_is(row, "acf_biased"))
        for (size_t lag = 1; lag <= row->count; lag++)
            CHECK_NEAR(autocorrelation_of(x, n, mean, lag), row->value[lag - 1], 1e-9);
}

static bool is_described(const struct expected_row *row)
{
    static const char *const quantities[] = {"mean",     "median",        "sd",        "var",
                                             "quantile", "harmonic_mean", "acf_biased"};
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (cases_is(row, quantities[i]))
            return true;
    return false;
}

static void check_folder(const char *folder, int min_rows)
{
    static struct cases c;
    struct expected_row row;
    int rows = 0;
    if (!cases_open(&c, folder))
        return;
    while (cases_next(&c, &row))
        if (is_described(&row) && cases_load(&c, &row)) {
            check_row(&row, c.x, c.n);
            rows++;
        }
    CHECK(rows >= min_rows);
}

static void test_what_does_not_exist(void)
{
    const double one[] = {4}, mixed[] = {1, 0, 2}, equal[] = {3, 3, 3, 3};
    CHECK(isnan(mean_of(one, 0)));
    CHECK(isnan(variance_of(one, 1, 4)));
    CHECK(isnan(harmonic_mean_of(mixed, 3)));
    CHECK(isnan(harmonic_mean_of(one, 0)));
    double scratch[1] = {4};
    CHECK(isnan(quantile_of(scratch, 0, 0.5)));
    CHECK_NEAR(quantile_of(scratch, 1, 0.99), 4, 0);
    CHECK_NEAR(autocorrelation_of(equal, 4, 3, 1), 0, 0);
    CHECK_NEAR(autocorrelation_of(mixed, 3, 1, 3), 0, 0);
}

/* 0 and 1 added to a billion: a plain sum of squares would lose all digits. */
static void test_digits_far_from_zero(void)
{
    static double x[1000];
    for (size_t i = 0; i < 1000; i++)
        x[i] = 1e9 + (double)(i % 2);
    double mean = mean_of(x, 1000);
    CHECK_NEAR(mean, 1e9 + 0.5, 1e-16);
    CHECK_NEAR(variance_of(x, 1000, mean), 250.0 / 999, 1e-12);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_selection(const double x[], size_t n)
{
    static double sorted[2000], copy[2000];
    memcpy(sorted, x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t k = 0; k < n; k += 37) {
        memcpy(copy, x, n * sizeof *x);
        CHECK_NEAR(select_rank(copy, n, k), sorted[k], 0);
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += i < k ? copy[i] > copy[k] : copy[i] < copy[k];
        CHECK_INT(wrong, 0);
    }
}

static void test_selection(void)
{
    static double x[2000];
    struct random r;
    random_seed(&r, 1, 0);
    for (size_t i = 0; i < 2000; i++)
        x[i] = random_unit(&r);
    check_selection(x, 2000);
    for (size_t i = 0; i < 2000; i++)
        x[i] = (double)random_below(&r, 4);
    check_selection(x, 2000);
    for (size_t i = 0; i < 2000; i++)
        x[i] = (double)i;
    check_selection(x, 2000);
    for (size_t i = 0; i < 2000; i++)
        x[i] = -(double)i;
    check_selection(x, 1999);
}

int main(void)
{
    check_folder("tests/golden", 130);
    const char *elsewhere = cases_elsewhere();
    if (elsewhere)
        check_folder(elsewhere, 40);
    test_what_does_not_exist();
    test_digits_far_from_zero();
    test_selection();
    return check_result();
}
