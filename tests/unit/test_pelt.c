/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PELT's optimum compared with a search of all divisions, and with R's changepoint package. */
#include "stat/change/internal.h"

#include "stat/basic/descriptive.h"
#include "tests/unit/cases.h"
#include "tests/unit/simulated.h"

#define COUNT_MAX 256

static struct arena arena;

/* Returns the least cost of all divisions, by dynamic programming without pruning. */
static double min_cost(const double x[], size_t n, double penalty, size_t minimum_segment)
{
    double cost[COUNT_MAX + 1];
    cost[0] = -penalty;
    for (size_t end = 1; end <= n; end++) {
        cost[end] = INFINITY;
        double mean = 0, squares = 0;
        for (size_t length = 1; length <= end; length++) {
            double value = x[end - length], deviation = value - mean;
            mean += deviation / (double)length;
            squares += deviation * (value - mean);
            if (length >= minimum_segment)
                cost[end] = fmin(cost[end], cost[end - length] + squares + penalty);
        }
    }
    return cost[n];
}

static double cost_of(const double x[], size_t n, const size_t cuts[], size_t count, double penalty)
{
    double cost = (double)count * penalty;
    size_t begin = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? cuts[i] : n;
        cost += sum_of_squares(x + begin, end - begin, mean_of(x + begin, end - begin));
        begin = end;
    }
    return cost;
}

static size_t shortest_segment(size_t n, const size_t cuts[], size_t count)
{
    size_t begin = 0, shortest = n;
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? cuts[i] : n;
        shortest = end - begin < shortest ? end - begin : shortest;
        begin = end;
    }
    return shortest;
}

enum kind { NOISE, STEPS, LARGE_STEPS, SLOPE, WHOLE_NUMBERS, KINDS };

static void make_series(enum kind kind, double x[], size_t n, uint64_t *seed)
{
    double level = 0;
    for (size_t i = 0; i < n; i++) {
        bool jump = simulated_uniform(seed) < 0.04;
        if (jump && kind == STEPS)
            level = 5 * simulated_normal(seed);
        if (jump && kind == LARGE_STEPS)
            level = 1e5 * simulated_normal(seed);
        if (kind == SLOPE)
            level = 0.2 * (double)i;
        x[i] = level + simulated_normal(seed);
        if (kind == WHOLE_NUMBERS)
            x[i] = floor(3 * simulated_uniform(seed));
    }
}

static void finds_the_optimum(void)
{
    uint64_t seed = 1;
    for (int run = 0; run < 1500; run++) {
        double x[COUNT_MAX];
        size_t cuts[COUNT_MAX];
        size_t n = 2 + simulated_bits(&seed) % (COUNT_MAX - 1);
        size_t minimum_segment = 1 + simulated_bits(&seed) % 12;
        double penalty = 0.5 + 12 * simulated_uniform(&seed);
        enum kind kind = (enum kind)(run % KINDS);
        make_series(kind, x, n, &seed);
        size_t count = pelt_mean(x, n, penalty, minimum_segment, cuts, COUNT_MAX, &arena);
        if (n < 2 * minimum_segment) {
            CHECK_INT(count, 0);
            continue;
        }
        CHECK(count == 0 || shortest_segment(n, cuts, count) >= minimum_segment);
        double expected = min_cost(x, n, penalty, minimum_segment);
        double room = kind == LARGE_STEPS ? 1e-4 : 1e-9 * (1 + fabs(expected));
        CHECK(fabs(cost_of(x, n, cuts, count, penalty) - expected) <= room);
    }
}

/* Change points without room in `out` are counted but not written. */
static void counts_beyond_capacity(void)
{
    double x[120];
    size_t cuts[2] = {7, 7};
    for (size_t i = 0; i < 120; i++)
        x[i] = i / 30 % 2 ? 10 : 0;
    CHECK_INT(pelt_mean(x, 120, 20, 30, cuts, 1, &arena), 3);
    CHECK_INT(cuts[0], 30);
    CHECK_INT(cuts[1], 7);
}

/* At a level of 1e9 a step of 1 is still found. */
static void keeps_digits(void)
{
    double x[200];
    size_t cuts[8];
    for (size_t i = 0; i < 200; i++)
        x[i] = 1e9 + (i >= 77 ? 1 : 0) + (i % 2 ? 0.125 : 0);
    CHECK_INT(pelt_mean(x, 200, 5, 30, cuts, 8, &arena), 1);
    CHECK_INT(cuts[0], 77);
}

static void check_row(struct cases *c, const struct expected_row *row)
{
    size_t cuts[CASE_VALUES];
    static double difference[CASE_READINGS];
    size_t n = c->n;
    for (size_t i = 0; i + 1 < n; i++)
        difference[i] = c->x[i + 1] - c->x[i];
    double scale = sqrt(2) / standard_deviation_of(difference, n - 1, mean_of(difference, n - 1));
    for (size_t i = 0; i < n; i++)
        difference[i] = c->x[i] * scale;
    size_t minimum_segment = (size_t)cases_param(row, "minseglen");
    size_t count =
        pelt_mean(difference, n, 2 * log((double)n), minimum_segment, cuts, CASE_VALUES, &arena);
    CHECK_INT(count, row->count);
    for (size_t i = 0; i < count && i < row->count; i++)
        CHECK_INT(cuts[i], row->value[i]);
}

/* R counts from 1 and gives the last index of each segment: the same number as the first index
   here. */
static void agrees_with_r(void)
{
    static struct cases c;
    const char *folder = cases_elsewhere();
    struct expected_row row;
    size_t rows = 0;
    if (!folder || !cases_open(&c, folder))
        return;
    while (cases_next(&c, &row)) {
        if (!cases_is(&row, "pelt_mean") || !strstr(row.params, " BIC ") || !cases_load(&c, &row))
            continue;
        check_row(&c, &row);
        rows++;
    }
    CHECK(rows >= 5);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena, pelt_scratch_bytes(CASE_READINGS, 30), &e), 0);
    finds_the_optimum();
    counts_beyond_capacity();
    keeps_digits();
    agrees_with_r();
    CHECK_INT(arena.used, 0);
    arena_free(&arena);
    return check_result();
}
