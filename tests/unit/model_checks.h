/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of methods for maps: random points, fits, refusals, and cases from other
   programs. */
#ifndef TESTS_UNIT_MODEL_CHECKS_H
#define TESTS_UNIT_MODEL_CHECKS_H

#include "base/random.h"
#include "stat/model/model.h"
#include "tests/unit/check.h"
#include "tests/unit/csv_table.h"

/* Returns points in the unit cube with values of a curved function. The caller frees both arrays.
 */
static inline struct model_points chance_points(size_t n, size_t dimensions, uint64_t seed)
{
    struct random random;
    double *at = calloc(n * dimensions, sizeof *at), *value = calloc(n, sizeof *value);
    random_seed(&random, seed, 0);
    for (size_t i = 0; at && value && i < n; i++)
        for (size_t j = 0; j < dimensions; j++) {
            double x = at[i * dimensions + j] = random_unit(&random);
            value[i] += sin(4 * x + (double)j) + x * x * (double)(j + 1);
        }
    return (struct model_points){.n = n, .dimensions = dimensions, .at = at, .value = value};
}

static inline void free_points(struct model_points *p)
{
    free((double *)p->at);
    free((double *)p->value);
}

/* Returns the fitted model, or ends the test. */
static inline struct model *fit_points(const char *method, const struct model_points *p)
{
    struct model *m = NULL;
    struct err e = {0};
    if (model_fit(&m, model_method_named(method, strlen(method)), p, &(struct model_options){0},
                  &e)) {
        fprintf(stderr, "%s: %s\n", method, e.msg);
        exit(EXIT_FAILURE);
    }
    return m;
}

static inline void check_points_refused(const char *method, const struct model_points *p,
                                        const char *words)
{
    struct model *m = NULL;
    struct err e = {0};
    CHECK_INT(model_fit(&m, model_method_named(method, strlen(method)), p,
                        &(struct model_options){0}, &e),
              -1);
    CHECK(m == NULL && e.code == ERR_USAGE);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

/* Checks CASE_train.csv (factors, then f) and CASE_query.csv (factors, pred, and optionally
   extrapolated). */
static inline void check_case_elsewhere(const char *method, const char *name, size_t dimensions,
                                        double tolerance)
{
    struct csv_table train, query;
    char file[100];
    snprintf(file, sizeof file, "models/%s_train.csv", name);
    const char *path = csv_elsewhere(file);
    if (!path || !csv_open(&train, path))
        return;
    double *x = csv_matrix(&train, dimensions), *y = csv_column(&train, "f");
    struct model_points p = {.n = train.rows, .dimensions = dimensions, .at = x, .value = y};
    struct model *m = fit_points(method, &p);
    snprintf(file, sizeof file, "models/%s_query.csv", name);
    CHECK(csv_open(&query, csv_elsewhere(file)));
    double *at = csv_matrix(&query, dimensions);
    for (size_t i = 0; i < query.rows; i++) {
        struct model_answer a = model_answer(m, at + i * dimensions);
        CHECK_NEAR(a.value, csv_number(&query, i, "pred"), tolerance);
        if (strcmp(query.cell[dimensions + 1], "extrapolated") == 0)
            CHECK_INT(a.extrapolated, csv_number(&query, i, "extrapolated"));
    }
    model_free(m);
    csv_close(&query);
    csv_close(&train);
    free(at);
    free(x);
    free(y);
}

/* Checks the published map against other programs' predictions for configurations that it lacks. */
static inline void check_real_map_elsewhere(const char *method, const char *column,
                                            double tolerance)
{
    struct csv_table map, query;
    const char *path = csv_elsewhere("../data/varsys/map_cfq_noop_fread_summary.csv");
    if (!path || !csv_open(&map, path))
        return;
    double *x = csv_matrix(&map, 4), *y = csv_column(&map, "sd");
    size_t n = 0;
    for (size_t i = 0; i < map.rows; i++)
        if (csv_number(&map, i, "in_810") != 0) {
            memmove(x + 4 * n, x + 4 * i, 4 * sizeof *x);
            y[n++] = y[i];
        }
    CHECK_INT(n, 810);
    struct model_points p = {.n = n, .dimensions = 4, .at = x, .value = y};
    struct model *m = fit_points(method, &p);
    CHECK(csv_open(&query, csv_elsewhere("models/real_map_query.csv")));
    double *at = csv_matrix(&query, 4);
    for (size_t i = 0; i < query.rows; i++)
        CHECK_NEAR(model_answer(m, at + 4 * i).value, csv_number(&query, i, column), tolerance);
    model_free(m);
    csv_close(&query);
    csv_close(&map);
    free(at);
    free(x);
    free(y);
}

#endif
