/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prediction intervals: the share of new measurements within them when the noise differs from place
 * to place; and too few points for an interval.
 */
#include "stat/model/cross_validated_interval.h"

#include "tests/unit/model_checks.h"

#define POINTS  240
#define REPEATS 8

/* Returns a nearly normal number, the sum of twelve uniform ones. */
static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

/* A response to 2 factors between 1 and 9, with noise proportional to it. */
static void measure(struct random *random, double at[2], double *value)
{
    at[0] = 1 + 8 * random_unit(random);
    at[1] = 1 + 8 * random_unit(random);
    *value = at[0] * at[0] * sqrt(at[1]) * exp(0.15 * normal(random));
}

struct coverage {
    size_t inside, count;
    double wide, narrow; /* summed lengths where the response is above and below 50 */
};

static void add_coverage(const char *method, bool logarithmic, uint64_t seed, struct coverage *c)
{
    static double at[POINTS][2], value[POINTS];
    struct random random;
    random_seed(&random, seed, 1);
    for (size_t i = 0; i < POINTS; i++)
        measure(&random, at[i], &value[i]);
    struct model_points p = {.n = POINTS, .dimensions = 2, .at = at[0], .value = value};
    struct model_options o = {.log_factor = logarithmic ? (const bool[]){true, true} : NULL,
                              .log_response = logarithmic,
                              .seed = seed};
    struct model *m = NULL;
    struct model_residuals *r = NULL;
    const struct model_method *row = model_method_named(method, strlen(method));
    CHECK_INT(model_fit(&m, row, &p, &o, NULL), 0);
    CHECK_INT(model_residuals_make(&r, row, &p, &o, NULL), 0);
    for (size_t i = 0; i < 500 && m && r; i++) {
        double place[2], measured;
        measure(&random, place, &measured);
        double predicted = model_answer(m, place).value;
        struct model_interval interval = model_residuals_interval(r, place, predicted, 0.95);
        CHECK(interval.low <= predicted && predicted <= interval.high);
        CHECK(!logarithmic || interval.low > 0);
        c->count++;
        c->inside += interval.low <= measured && measured <= interval.high;
        *(measured > 50 ? &c->wide : &c->narrow) += interval.high - interval.low;
    }
    model_residuals_free(r);
    model_free(m);
}

static void check_coverage(const char *method, bool logarithmic)
{
    struct coverage c = {0};
    for (uint64_t seed = 1; seed <= REPEATS; seed++)
        add_coverage(method, logarithmic, seed, &c);
    double share = (double)c.inside / (double)c.count;
    if (!check_that(share > 0.93 && share < 0.97, method, logarithmic, "covers .95 +- .02"))
        fprintf(stderr, "    covers %.4f\n", share);
    if (strcmp(method, "delaunay") == 0)
        CHECK(c.wide > 1.5 * c.narrow);
}

/* On an exact line the interval has no width, and a logarithmic scale is converted back. */
static void check_exact(void)
{
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)(i + 1);
        y[i] = 3 * x[i] * x[i];
    }
    struct model_points p = {.n = 40, .dimensions = 1, .at = x, .value = y};
    struct model_options o = {.log_factor = (const bool[]){true}, .log_response = true};
    struct model_residuals *r = NULL;
    CHECK_INT(model_residuals_make(&r, model_method_named("lr", 2), &p, &o, NULL), 0);
    struct model_interval i = model_residuals_interval(r, (double[]){10}, 300, 0.95);
    CHECK_NEAR(i.low, 300, 1e-9);
    CHECK_NEAR(i.high, 300, 1e-9);
    i = model_residuals_interval(r, (double[]){10}, 300, 0.99); /* 99 points would suffice */
    CHECK(i.low == 0 && isinf(i.high));
    model_residuals_free(r);
}

static void check_refusals(void)
{
    double x[30][2], y[30];
    for (size_t i = 0; i < 30; i++) {
        x[i][0] = (double)i;
        x[i][1] = 4;
        y[i] = (double)(i % 7);
    }
    struct model_points p = {.n = 19, .dimensions = 2, .at = x[0], .value = y};
    struct model_options o = {0};
    struct model_residuals *r = NULL;
    struct err e = {0};
    const struct model_method *lr = model_method_named("lr", 2);
    CHECK_INT(model_residuals_make(&r, lr, &p, &o, &e), -1);
    CHECK(r == NULL && e.code == ERR_USAGE);
    CHECK(strstr(e.msg, "an interval takes 20 points or more, not 19") || e.msg[0] == 0);
    p.n = 30;
    CHECK_INT(model_residuals_make(&r, lr, &p, &o, &e), -1);
    CHECK(strstr(e.msg, "factor 2 is the same at every point") != NULL);
    CHECK_INT(model_residuals_make(&r, lr, &p, &o, NULL), -1);
    y[3] = NAN;
    CHECK_INT(model_residuals_make(&r, lr, &p, &o, &e), -1);
    CHECK(strstr(e.msg, "point 4: the response is not a finite number") != NULL);

    /* One part has the only point with another level: the model of the other parts cannot be
       fitted, those without other parts can. */
    y[3] = 3;
    x[29][1] = 5;
    CHECK_INT(model_residuals_make(&r, lr, &p, &o, &e), 0);
    struct model_interval i = model_residuals_interval(r, x[5], 5, 0.9);
    CHECK(i.low < 5 && i.high > 5 && isfinite(i.high));
    model_residuals_free(r);
}

int main(void)
{
    const char *const methods[] = {"lr", "lsp", "delaunay"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        check_coverage(methods[i], false);
        check_coverage(methods[i], true);
    }
    check_exact();
    check_refusals();
    return check_result();
}
