/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all maps have in common, tested with linear regression: numbers computed by R (lm, predict),
 * logarithmic scales, and points from which no map can be made.
 */
#include "stat/model/model.h"

#include "stat/basic/distribution.h"
#include "tests/unit/check.h"
#include "tests/unit/csv_table.h"

#define POINTS 12

static const double at[POINTS][2] = {{1, 3}, {2, 1}, {3, 4}, {4, 1},  {5, 5},  {6, 9},
                                     {7, 2}, {8, 6}, {9, 5}, {10, 3}, {11, 5}, {12, 8}};
static const double value[POINTS] = {2.3,  4.1,  4.4,  7.2,  6.9,  5.8,
                                     12.1, 10.7, 13.2, 16.3, 15.9, 15.4};
static const char *const names[] = {"threads", "record"};

static struct model_points points(void)
{
    return (struct model_points){POINTS, 2, at[0], value, names, "SD"};
}

static const struct model_method *method(const char *name)
{
    const struct model_method *m = model_method_named(name, strlen(name));
    CHECK(m != NULL);
    return m;
}

static void check_methods(void)
{
    CHECK_STR(method("lr")->name, "lr");
    CHECK(model_method_named("lrx", 3) == NULL && model_method_named("lr", 1) == NULL);
    for (size_t i = 0; model_methods[i]; i++) {
        const struct model_method *m = model_methods[i];
        CHECK(model_method_named(m->name, strlen(m->name)) == m);
        CHECK(m->words && m->fewest_points(1) > 1 && m->fewest_points(8) >= m->fewest_points(1));
    }
}

/* R: predict(lm(y ~ a + b), se.fit = TRUE); sqrt(se.fit^2 + residual.scale^2) */
static void check_linear(void)
{
    struct model *m = NULL;
    struct model_points p = points();
    CHECK_INT(model_fit(&m, method("lr"), &p, &(struct model_options){0}, NULL), 0);
    struct model_answer a = model_answer(m, (double[]){2.5, 2});
    CHECK_NEAR(a.value, 4.7802200210378709, 1e-12);
    CHECK_NEAR(a.error, 0.43612369950501467, 1e-12);
    CHECK(a.degrees == 9 && !a.extrapolated);
    double half = student_t_quantile(0.975, a.degrees) * a.error;
    CHECK_NEAR(a.value + half, 5.7668003717391922, 1e-9);
    a = model_answer(m, (double[]){20, -4});
    CHECK_NEAR(a.value, 35.7361150070126214, 1e-12);
    CHECK_NEAR(a.error, 0.93438392123758762, 1e-12);
    CHECK(a.extrapolated);
    a = model_answer(m, (double[]){-3, 7.5});
    CHECK_NEAR(a.value, -7.2227055575035033, 1e-12);
    CHECK(!model_answer(m, (double[]){12, 9}).extrapolated);
    model_free(m);
}

/* The error stays on the logarithmic scale; the value is converted back. */
static void check_logarithmic_axes(void)
{
    struct model *m = NULL;
    struct model_points p = points();
    struct model_options o = {.log_factor = (const bool[]){true, false}, .log_response = true};
    CHECK_INT(model_fit(&m, method("lr"), &p, &o, NULL), 0);
    struct model_answer a = model_answer(m, (double[]){2.5, 2});
    CHECK_NEAR(a.value, 4.7807547982832679, 1e-12);
    CHECK_NEAR(a.error, 0.11460265602989318, 1e-12);
    CHECK_NEAR(model_answer(m, (double[]){20, -4}).value, 47.2864199301733024, 1e-12);
    CHECK(model_answer(m, (double[]){1e300, -1e6}).value > 1e308); /* and is finite */
    CHECK(isfinite(model_answer(m, (double[]){1e300, -1e6}).value));

    struct err e = {0};
    CHECK_INT(model_check_at(m, (double[]){1, -1}, &e), 0);
    CHECK(model_check_at(m, (double[]){0, 1}, &e) && e.code == ERR_USAGE);
    CHECK(strstr(e.msg, "factor 1 is 0") != NULL);
    CHECK(model_check_at(m, (double[]){1, NAN}, &e) && strstr(e.msg, "factor 2") != NULL);
    model_free(m);
}

/* As many points as columns: the fit is exact, and its error is unknown. */
static void check_fewest(void)
{
    struct model *m = NULL;
    struct model_points p = points();
    p.n = 3;
    CHECK_INT(model_fit(&m, method("lr"), &p, &(struct model_options){0}, NULL), 0);
    struct model_answer a = model_answer(m, at[1]);
    CHECK_NEAR(a.value, value[1], 1e-12);
    CHECK(isinf(a.error) && a.degrees == 0);
    model_free(m);
}

static void check_refused(const struct model_points *p, const struct model_options *o,
                          const char *words)
{
    struct model *m = NULL;
    struct err e = {0};
    CHECK_INT(model_fit(&m, method("lr"), p, o, &e), -1);
    CHECK(m == NULL && e.code == ERR_USAGE);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void check_bad_points(void)
{
    const struct model_options plain = {0};
    struct model_points p = points();
    double x[POINTS][2], y[POINTS];
    p.n = 2;
    check_refused(&p, &plain, "needs at least 3 points for 2 factors, and there are 2");
    p = points();
    p.dimensions = 0;
    check_refused(&p, &plain, "1 to 32 factors");

    p = points();
    p.at = x[0];
    memcpy(x, at, sizeof x);
    x[4][1] = INFINITY;
    check_refused(&p, &plain, "point 5: record is not a finite number");
    p.factor = NULL;
    check_refused(&p, &plain, "point 5: factor 2 is not a finite number");
    p.factor = names;
    x[4][1] = 0;
    check_refused(&p, &(struct model_options){.log_factor = (bool[]){true, true}},
                  "point 5: record is 0, which has no place on a logarithmic axis");

    for (size_t i = 0; i < POINTS; i++)
        x[i][1] = 0.1;
    check_refused(&p, &plain, "record is the same at every point");
    for (size_t i = 0; i < POINTS; i++)
        x[i][1] = 3 - x[i][0] / 7;
    check_refused(&p, &plain, "record follows from the factors before it");

    p = points();
    p.value = y;
    memcpy(y, value, sizeof y);
    y[11] = NAN;
    check_refused(&p, &plain, "point 12: SD is not a finite number");
    y[11] = -1;
    check_refused(&p, &(struct model_options){.log_response = true}, "point 12: SD is -1");
}

/* Coefficients, predictions and their 90 % intervals, computed by R. */
static void check_linear_elsewhere(void)
{
    struct csv_table train, expected;
    const char *path = csv_elsewhere("models/lm.csv");
    if (!path || !csv_open(&train, path))
        return;
    double *x = csv_matrix(&train, 3), *y = csv_column(&train, "y");
    struct model_points p = {train.rows, 3, x, y, NULL, NULL};
    struct model *m = NULL;
    CHECK_INT(model_fit(&m, method("lr"), &p, &(struct model_options){0}, NULL), 0);

    CHECK(csv_open(&expected, csv_elsewhere("models/lm_expected_pred.csv")));
    for (size_t i = 0; i < expected.rows; i++) {
        double q[] = {csv_number(&expected, i, "x1"), csv_number(&expected, i, "x2"),
                      csv_number(&expected, i, "x3")};
        struct model_answer a = model_answer(m, q);
        double half = student_t_quantile(0.95, a.degrees) * a.error;
        CHECK_NEAR(a.value, csv_number(&expected, i, "fit"), 1e-9);
        CHECK_NEAR(a.value - half, csv_number(&expected, i, "pi90lo"), 1e-9);
        CHECK_NEAR(a.value + half, csv_number(&expected, i, "pi90hi"), 1e-9);
    }
    csv_close(&expected);

    CHECK(csv_open(&expected, csv_elsewhere("models/lm_expected_coef.csv")));
    double origin = model_answer(m, (double[3]){0}).value;
    CHECK_NEAR(origin, csv_number(&expected, 0, "est"), 1e-9);
    for (size_t j = 0; j < 3; j++) {
        double q[3] = {0};
        q[j] = 1;
        CHECK_NEAR(model_answer(m, q).value - origin, csv_number(&expected, j + 1, "est"), 1e-9);
    }
    csv_close(&expected);
    csv_close(&train);
    model_free(m);
    free(x);
    free(y);
}

int main(void)
{
    check_methods();
    check_linear();
    check_logarithmic_axes();
    check_fewest();
    check_bad_points();
    check_linear_elsewhere();
    return check_result();
}
