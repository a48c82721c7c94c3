/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percentiles of single values: sorting, cells, and how often their intervals contain the truth. */
#include <float.h>

#include "base/random.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/estimate/percentile_column.h"
#include "tests/unit/check.h"
#include "tests/unit/simulations.h"

enum { MAX_N = 8000 };

static double values[MAX_N], copy[MAX_N], room[MAX_N];
static struct arena arena;
static struct random rng;

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double draw_normal(void)
{
    return normal_quantile((random_unit(&rng) + 1e-12) / (1 + 2e-12));
}

static void check_sorted(size_t n)
{
    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, ascending);
    sort_values(values, n, room);
    CHECK_INT(memcmp(values, copy, n * sizeof *copy), 0);
}

static void test_sort(void)
{
    static const size_t lengths[] = {0, 1, 2, 63, 64, 65, 1000, MAX_N};
    static const double ends[] = {DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 5e-324, -5e-324, 0, 1, -1};
    random_seed(&rng, 1, 0);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        for (size_t i = 0; i < lengths[k]; i++)
            values[i] = draw_normal() * pow(10, 40 * random_unit(&rng) - 20);
        check_sorted(lengths[k]);
        for (size_t i = 0; i < lengths[k]; i++)
            values[i] = (double)random_below(&rng, 7) - 3;
        check_sorted(lengths[k]);
        for (size_t i = 0; i < lengths[k]; i++)
            values[i] = ends[random_below(&rng, sizeof ends / sizeof *ends)];
        check_sorted(lengths[k]);
    }
    const double few[] = {1, 2, 2, 2, 5};
    CHECK_INT(sorted_at_most(few, 5, 2), 4);
    CHECK_INT(sorted_below(few, 5, 2), 1);
    CHECK_INT(sorted_at_most(few, 5, 0), 0);
    CHECK_INT(sorted_below(few, 5, 6), 5);
}

static struct percentile_column column_of(size_t n)
{
    struct percentile_column column;
    arena_reset(&arena, 0);
    percentile_column_make(&column, values, n, &arena);
    return column;
}

/* Intervals of unequal length contain every value once; values above and at the threshold are
   counted separately. */
static void test_counts(void)
{
    enum { COUNTED = 2000 };
    for (size_t i = 0; i < COUNTED; i++)
        values[i] = (double)(i * 37 % COUNTED / 20); /* 0 .. 99, twenty of each */
    struct percentile_column column = column_of(COUNTED);
    CHECK_INT(column.stretches, PERCENTILE_COLUMN_STRETCHES);
    CHECK_INT(column.cells, 100);
    CHECK_NEAR(column.count[99], 20, 0);
    struct exceedance e = percentile_column_above(&column, 89, false, 0.95, &arena);
    CHECK_NEAR(e.above, 200, 0);
    CHECK_NEAR(e.count, COUNTED, 0);
    e = percentile_column_above(&column, 89, true, 0.95, &arena);
    CHECK_NEAR(e.above, 220, 0);
    CHECK_NEAR(percentile_column_above(&column, 99, false, 0.95, &arena).above, 0, 0);
    CHECK_NEAR(percentile_column_above(&column, -1, false, 0.95, &arena).above, COUNTED, 0);
}

/* The nearest-rank value is always reported; if there is no interval, the reason is. */
static void test_values(void)
{
    for (size_t i = 0; i < 100; i++)
        values[i] = (double)(i * 37 % 100 + 1);
    struct percentile_column column = column_of(100);
    struct percentile p = percentile_of_column(&column, 0.5, 0.95, &arena);
    CHECK_NEAR(p.value, 50, 0);
    CHECK(p.low > 30 && p.low < 45 && p.high > 56 && p.high < 71);
    p = percentile_of_column(&column, 0.99, 0.95, &arena);
    CHECK_NEAR(p.value, 99, 0);
    CHECK(p.lack == PERCENTILE_LACKS_SAMPLES && isnan(p.low) && p.more > 3.6);
    char words[120];
    percentile_words(&p, 100, "values", words, sizeof words);
    CHECK(strstr(words, "no interval yet: too few independent samples; about "));
    CHECK(strstr(words, "0 values more"));

    values[0] = 7;
    column = column_of(1);
    p = percentile_of_column(&column, 0.999, 0.95, &arena);
    CHECK_NEAR(p.value, 7, 0);
    CHECK(p.lack == PERCENTILE_LACKS_SAMPLES);
}

/* Negative values have no decades: nothing is left out as a stall. */
static void test_negative(void)
{
    random_seed(&rng, 2, 0);
    for (size_t i = 0; i < 4000; i++)
        values[i] = draw_normal() - 20;
    struct percentile_column column = column_of(4000);
    for (int i = 0; i < 3; i++) {
        const double shares[] = {0.5, 0.9, 0.99};
        struct percentile p = percentile_of_column(&column, shares[i], 0.95, &arena);
        double truth = normal_quantile(shares[i]) - 20;
        CHECK_INT(p.lack, PERCENTILE_LACKS_NOTHING);
        CHECK_NEAR(p.left_out, 0, 0);
        CHECK(p.low < truth + 0.3 && p.high > truth - 0.3 && p.high - p.low < 0.6);
    }
    for (size_t i = 0; i < 4000; i++) /* mostly zeros */
        values[i] = i % 8 == 0;
    column = column_of(4000);
    struct percentile p = percentile_of_column(&column, 0.5, 0.95, &arena);
    CHECK(p.lack == PERCENTILE_LACKS_NOTHING && p.value <= 0 && p.high <= 0);
}

/* All readings equal, and one outlier. */
static void test_equal(void)
{
    for (size_t i = 0; i < 2000; i++)
        values[i] = 3;
    struct percentile_column column = column_of(2000);
    struct percentile p = percentile_of_column(&column, 0.99, 0.95, &arena);
    CHECK_INT(column.cells, 1);
    CHECK(p.lack == PERCENTILE_LACKS_NOTHING && p.low >= 3 && p.high <= 3);
    values[1500] = 4000;
    column = column_of(2000);
    p = percentile_of_column(&column, 0.99, 0.95, &arena);
    CHECK(p.lack == PERCENTILE_LACKS_NOTHING && p.low >= 3 && p.high <= 3);
}

/* Series of n values with autocorrelation phi: the interval has its coverage and is not much too
   wide. */
static void check_coverage(double phi, size_t n, double share, double widest)
{
    enum { RUNS = SIMULATED_RUNS(60) };
    const double truth = normal_quantile(share) + 10;
    double plain_low, plain_high, wider = 0;
    int covered = 0, given = 0;
    CHECK(percentile_ranks((double)n, share, 0.95, &plain_low, &plain_high));
    for (int run = 0; run < RUNS; run++) {
        random_seed(&rng, 3, (uint64_t)run);
        double state = draw_normal();
        for (size_t i = 0; i < n; i++) {
            state = phi * state + sqrt(1 - phi * phi) * draw_normal();
            values[i] = state + 10;
        }
        struct percentile_column column = column_of(n);
        struct percentile p = percentile_of_column(&column, share, 0.95, &arena);
        if (p.lack)
            continue;
        given++;
        covered += p.low <= truth && truth <= p.high;
        sort_values(values, n, room);
        wider +=
            (p.high - p.low) / (values[(size_t)plain_high - 1] - values[(size_t)plain_low - 1]);
    }
    printf("AR(1) %.1f, %zu values, p%g: %.3f covered of %d given, %.2f times plain ranks\n", phi,
           n, 100 * share, (double)covered / given, given, wider / given);
    CHECK_COUNT(given >= RUNS * 95 / 100);
    CHECK_COUNT((double)covered / given >= 0.89); /* .95 less two standard errors of 60 runs */
    CHECK_COUNT(wider / given <= widest);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, percentile_column_scratch_bytes(MAX_N), &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return EXIT_FAILURE;
    }
    test_sort();
    test_counts();
    test_values();
    test_negative();
    test_equal();
    check_coverage(0, 500, 0.5, 1.3);
    check_coverage(0, 500, 0.9, 1.3);
    check_coverage(0, 4000, 0.99, 1.3);
    check_coverage(0.9, 4000, 0.5, INFINITY);
    check_coverage(0.9, 4000, 0.9, INFINITY);
    check_coverage(0.9, 8000, 0.95, INFINITY);
    arena_free(&arena);
    return check_result();
}
