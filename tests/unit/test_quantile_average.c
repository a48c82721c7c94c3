/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of configurations that were not measured, from those of their neighbours. */
#include "stat/model/model.h"

#include "stat/basic/descriptive.h"
#include "stat/basic/sort.h"
#include "tests/unit/check.h"
#include "tests/unit/simulated.h"

#define POINTS 60
#define RUNS   40

static void check_levels(void)
{
    const double sorted[] = {1, 2, 4, 8};
    double out[8];
    quantile_levels(sorted, 4, out, 4);
    CHECK(memcmp(out, sorted, sizeof sorted) == 0);
    quantile_levels(sorted, 4, out, 2); /* quantiles .25 and .75: between the runs */
    CHECK(out[0] == 1.5 && out[1] == 6);
    quantile_levels(sorted, 4, out, 8);
    CHECK(out[0] == 1 && out[1] == 1.25 && out[2] == 1.75 && out[6] == 7 && out[7] == 8);
    quantile_levels(sorted, 1, out, 3);
    CHECK(out[0] == 1 && out[2] == 1);
}

static void check_mixing(void)
{
    const double table[] = {1, 2, 3, 10, 40, 90}, even[] = {0.5, 0.5}, beyond[] = {2, -1};
    double out[3], room[3];
    quantile_average(table, 2, 3, even, false, out, room);
    CHECK(out[0] == 5.5 && out[1] == 21 && out[2] == 46.5);
    quantile_average(table, 2, 3, even, true, out, room);
    CHECK_NEAR(out[1], sqrt(80), 1e-12);
    quantile_average(table, 2, 3, beyond, false, out, room); /* -8, -36, -84 */
    CHECK(out[0] == -84 && out[1] == -36 && out[2] == -8);
}

/* The spread of runs at x is e^(x / 5), around a mean of 100. */
static void check_prediction(void)
{
    static double at[POINTS], sd[POINTS], table[POINTS * RUNS], weight[POINTS], out[RUNS],
        room[RUNS];
    uint64_t seed = 17;
    for (size_t i = 0; i < POINTS; i++) {
        double *row = table + i * RUNS;
        at[i] = 10 * simulated_uniform(&seed);
        for (size_t k = 0; k < RUNS; k++)
            row[k] = 100 + exp(at[i] / 5) * simulated_normal(&seed);
        sort_values(row, RUNS, room);
        sd[i] = standard_deviation_of(row, RUNS, mean_of(row, RUNS));
    }
    struct model_points p = {POINTS, 1, at, sd, NULL, NULL};
    struct model_options o = {.log_response = true};
    struct model *m = NULL;
    CHECK_INT(model_fit(&m, model_method_named("gp", 2), &p, &o, NULL), 0);
    for (double x = 1; x < 9.5; x += 2) {
        double sum = 0, mixed = 0;
        CHECK(model_weights(m, &x, weight));
        for (size_t i = 0; i < POINTS; i++) {
            sum += weight[i];
            mixed += weight[i] * log(sd[i]);
        }
        CHECK_NEAR(sum, 1, 1e-9);
        CHECK_NEAR(exp(mixed), model_answer(m, &x).value, 1e-9);
        quantile_average(table, POINTS, RUNS, weight, true, out, room);
        double mean = mean_of(out, RUNS);
        CHECK_NEAR(mean, 100, 0.01);
        CHECK_NEAR(standard_deviation_of(out, RUNS, mean), exp(x / 5), 0.12);
        CHECK_NEAR(quantile_of(out, RUNS, 0.9), 100 + 1.28 * exp(x / 5), 0.01);
    }
    model_free(m);
    CHECK_INT(model_fit(&m, model_method_named("mars", 4), &p, &o, NULL), 0);
    CHECK(!model_weights(m, at, weight));
    model_free(m);
}

int main(void)
{
    check_levels();
    check_mixing();
    check_prediction();
    return check_result();
}
