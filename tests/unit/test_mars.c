/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MARS compared with R's earth 5.3.2: on cases that both make, and on further tables. */
#include "stat/mars/mars.h"

#include "stat/model/model.h"
#include "tests/unit/check.h"
#include "tests/unit/csv_table.h"

#define N_MAX 400
#define P_MAX 5

/*
 * The cases. In R, with the same operations and so the same doubles:
 *
 *   library(earth)
 *   s <- 1; u <- function() { s <<- (s * 16807) %% 2147483647; s / 2147483647 }
 *   cases <- function(kind, n, p) { s <<- 1; x <- matrix(0, n, p); y <- numeric(n)
 *     for (i in 1:n) {
 *       for (j in 1:p) x[i, j] <- switch(kind, floor(1000 * u()) / 1000,
 *                                        floor((j + 1) * u()), 32 * 2^floor(9 * u()))
 *       z <- x[i, ] / switch(kind, 1, 4, 8192)
 *       y[i] <- max(0, z[1] - 0.4) * z[2] + 2 * max(0, 0.6 - z[3]) + z[1] * z[2] * z[3] +
 *         (u() - 0.5) / 5 }
 *     list(x = x, y = y) }
 *   d <- cases(1, 120, 3); m <- earth(d$x, d$y, degree = 2)
 *   nrow(m$dirs); length(m$selected.terms); m$gcv; m$rss; m$grsq; predict(m, t(colMeans(d$x)))
 */
enum kind { KIND_CONTINUOUS, KIND_LEVELS, KIND_POWERS_OF_TWO };

static double at[N_MAX * P_MAX], value[N_MAX];
static uint64_t seed;

static double uniform(void)
{
    seed = seed * 16807 % 2147483647;
    return (double)seed / 2147483647;
}

static double factor_value(enum kind kind, size_t j)
{
    if (kind == KIND_CONTINUOUS)
        return floor(1000 * uniform()) / 1000;
    return kind == KIND_LEVELS ? floor((double)(j + 2) * uniform())
                               : 32 * exp2(floor(9 * uniform()));
}

static void make_cases(enum kind kind, size_t n, size_t p)
{
    double unit = kind == KIND_CONTINUOUS ? 1 : kind == KIND_LEVELS ? 4 : 8192;
    seed = 1;
    for (size_t i = 0; i < n; i++) {
        double z[P_MAX] = {0};
        for (size_t j = 0; j < p; j++) {
            at[i * p + j] = factor_value(kind, j);
            z[j] = at[i * p + j] / unit;
        }
        value[i] = fmax(0, z[0] - 0.4) * z[1] + 2 * fmax(0, 0.6 - z[2]) + z[0] * z[1] * z[2] +
                   (uniform() - 0.5) / 5;
    }
}

static void check_sums(const struct mars *m, size_t forward, size_t terms, double gcv, double rss)
{
    CHECK_INT(m->forward_terms, forward);
    CHECK_INT(m->terms, terms);
    CHECK_NEAR(m->gcv, gcv, 1e-9);
    CHECK_NEAR(m->rss, rss, 1e-9);
}

static void check_defaults(void)
{
    static const struct {
        enum kind kind;
        size_t n, p;
        unsigned degree;
        size_t forward, terms;
        double gcv, rss, generalised_r_squared, at_mean;
    } rows[] = {
        {0, 120, 3, 1, 10, 6, 0.0138892406273564, 1.37515056578018, 0.914097125332706,
         0.394747957425232},
        {0, 120, 3, 2, 13, 8, 0.00442582248399069, 0.379966080714109, 0.972626950288908,
         0.382421214834184},
        {1, 90, 4, 2, 5, 4, 0.00378790235996954, 0.279557716116752, 0.982257784836675,
         0.524764876364047},
        {2, 400, 4, 3, 8, 7, 0.00379148162050261, 1.39769178458208, 0.977302491644171,
         0.809423455165993},
        {2, 400, 5, 2, 16, 13, 0.00501509823726789, 1.70715197771158, 0.973582439516671,
         0.757417196443228},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t n = rows[r].n, p = rows[r].p;
        struct mars_options o = mars_defaults(p, rows[r].degree);
        struct mars m;
        double mean[P_MAX] = {0};
        make_cases(rows[r].kind, n, p);
        for (size_t i = 0; i < n * p; i++)
            mean[i % p] += at[i] / (double)n;
        CHECK_INT(mars_fit(&m, at, value, n, p, &o, NULL), 0);
        check_sums(&m, rows[r].forward, rows[r].terms, rows[r].gcv, rows[r].rss);
        CHECK_NEAR(m.generalised_r_squared, rows[r].generalised_r_squared, 1e-9);
        CHECK_NEAR(mars_value(&m, mean), rows[r].at_mean, 1e-9);
        mars_free(&m);
    }
}

/* earth(..., degree = 2, nk, penalty, minspan, fast.k, Auto.linpreds) */
static void check_options(void)
{
    static const struct {
        size_t max_terms;
        double penalty;
        size_t min_span, fast_parents;
        bool linear;
        size_t forward, terms;
        double gcv, rss;
    } rows[] = {
        {9, 2, 1, 20, true, 9, 6, 0.00736307717134799, 0.729005998939879},
        {21, 3, 0, 0, true, 13, 8, 0.00442582248399069, 0.379966080714109},
        {31, 0, 4, 5, false, 11, 10, 0.00434986552548618, 0.438611440486523},
    };
    make_cases(KIND_CONTINUOUS, 120, 3);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct mars_options o = mars_defaults(3, 2);
        struct mars m;
        o.max_terms = rows[r].max_terms;
        o.penalty = rows[r].penalty;
        o.min_span = rows[r].min_span;
        o.fast_parents = rows[r].fast_parents;
        o.linear_without_knot = rows[r].linear;
        CHECK_INT(mars_fit(&m, at, value, 120, 3, &o, NULL), 0);
        check_sums(&m, rows[r].forward, rows[r].terms, rows[r].gcv, rows[r].rss);
        mars_free(&m);
    }
}

/* A factor in other units gives the same model, even with a range of 1e-6, where earth finds none.
 */
static void check_units(void)
{
    struct mars_options o = mars_defaults(3, 2);
    struct mars plain, narrow;
    double place[] = {0.3, 0.6, 0.2}, place_narrow[] = {0.3, 0.6 * 0x1p-20, 0.2};
    make_cases(KIND_CONTINUOUS, 120, 3);
    CHECK_INT(mars_fit(&plain, at, value, 120, 3, &o, NULL), 0);
    for (size_t i = 0; i < 120; i++)
        at[i * 3 + 1] *= 0x1p-20;
    CHECK_INT(mars_fit(&narrow, at, value, 120, 3, &o, NULL), 0);
    CHECK_NEAR(narrow.gcv, plain.gcv, 1e-9);
    CHECK_NEAR(mars_value(&narrow, place_narrow), mars_value(&plain, place), 1e-9);
    mars_free(&plain);
    mars_free(&narrow);
}

/* Constant responses, or factors without influence: the model is the mean. */
static void check_empty(void)
{
    struct mars_options o = mars_defaults(2, 2);
    const double x[] = {1, 5, 2, 5, 3, 5, 4, 5, 5, 5, 6, 5}, level[] = {7, 7, 7, 7, 7, 7};
    const double x_same[12] = {0}, y[] = {1, 2, 3, 4, 5, 9};
    struct mars m;
    CHECK_INT(mars_fit(&m, x, level, 6, 2, &o, NULL), 0);
    CHECK_INT(m.terms, 1);
    CHECK_NEAR(mars_value(&m, x), 7, 1e-12);
    CHECK(m.r_squared == 0 && m.generalised_r_squared == 0);
    mars_free(&m);
    CHECK_INT(mars_fit(&m, x_same, y, 6, 2, &o, NULL), 0);
    CHECK_INT(m.terms, 1);
    CHECK_NEAR(mars_value(&m, x), 4, 1e-12);
    mars_free(&m);
    CHECK_INT(mars_fit(&m, x, y, 2, 2, &o, NULL), 0);
    CHECK_NEAR(mars_value(&m, x), 1.5, 1e-12);
    mars_free(&m);
}

/* As a method of maps: the degree depends on the number of factors, and the error is the root of
   the GCV. */
static void check_method(void)
{
    struct model *m = NULL;
    make_cases(KIND_CONTINUOUS, 120, 3);
    struct model_points p = {120, 3, at, value, NULL, NULL};
    CHECK_INT(model_fit(&m, model_method_named("mars", 4), &p, &(struct model_options){.degree = 2},
                        NULL),
              0);
    struct model_answer a = model_answer(m, (double[]){0.5, 0.5, 0.5});
    CHECK_NEAR(a.error, sqrt(0.00442582248399069), 1e-9);
    CHECK_NEAR(a.degrees, 120 - 8 - 3 * 3.5, 1e-12);
    CHECK(!a.extrapolated && model_answer(m, (double[]){2, 0, 0}).extrapolated);
    CHECK(isfinite(model_answer(m, (double[]){1e300, 1e300, -1e300}).value));
    model_free(m);
    /* The squares of products of such large factors overflow: those terms are left out. */
    for (size_t i = 0; i < 3 * 120; i++)
        at[i] *= 1e59;
    CHECK_INT(model_fit(&m, model_method_named("mars", 4), &p, &(struct model_options){0}, NULL),
              0);
    CHECK(isfinite(model_answer(m, at).value) && isfinite(model_answer(m, at).error));
    model_free(m);
}

static void check_case_elsewhere(const struct csv_table *summary, const char *name,
                                 const struct csv_table *train, const struct mars_options *o)
{
    size_t p = train->columns - 1, row = 0;
    double *x = calloc(train->rows * p, sizeof *x), *y = csv_column(train, "y");
    double *all = csv_matrix(train, p + 1);
    struct mars m;
    for (size_t i = 0; i < train->rows; i++)
        for (size_t j = 0; j < p; j++)
            x[i * p + j] = all[i * (p + 1) + j];
    while (row + 1 < summary->rows && strcmp(csv_text(summary, row, "case"), name) != 0)
        row++;
    CHECK_STR(csv_text(summary, row, "case"), name);
    CHECK_INT(mars_fit(&m, x, y, train->rows, p, o, NULL), 0);
    CHECK_INT(m.forward_terms, csv_number(summary, row, "n_forward_terms"));
    CHECK_INT(m.terms, csv_number(summary, row, "n_selected"));
    CHECK_NEAR(m.gcv, csv_number(summary, row, "gcv"), 1e-9);
    CHECK_NEAR(m.rss, csv_number(summary, row, "rss"), 1e-9);
    CHECK_NEAR(m.r_squared, csv_number(summary, row, "rsq"), 1e-9);
    mars_free(&m);
    free(x);
    free(y);
    free(all);
}

static void check_elsewhere(void)
{
    struct csv_table summary, line, cube;
    const char *path = csv_elsewhere("models/mars_summary.csv");
    if (!path || !csv_open(&summary, path))
        return;
    CHECK(csv_open(&line, csv_elsewhere("models/mars_1d_train.csv")));
    CHECK(csv_open(&cube, csv_elsewhere("models/mars_3d_train.csv")));
    struct mars_options o = mars_defaults(1, 1);
    check_case_elsewhere(&summary, "1d", &line, &o);
    o.min_span = 1;
    check_case_elsewhere(&summary, "1d_minspan1", &line, &o);
    o = mars_defaults(3, 1);
    check_case_elsewhere(&summary, "3d_deg1", &cube, &o);
    o = mars_defaults(3, 2);
    check_case_elsewhere(&summary, "3d_deg2", &cube, &o);
    o.fast_parents = 0;
    check_case_elsewhere(&summary, "3d_deg2_slow", &cube, &o);
    o = mars_defaults(3, 2);
    o.linear_without_knot = false;
    check_case_elsewhere(&summary, "3d_deg2_nolinpreds", &cube, &o);
    o = mars_defaults(3, 2);
    o.penalty = 2;
    o.max_terms = 9;
    check_case_elsewhere(&summary, "3d_deg2_pen2_nk9", &cube, &o);
    csv_close(&summary);
    csv_close(&line);
    csv_close(&cube);
}

int main(void)
{
    check_defaults();
    check_options();
    check_units();
    check_empty();
    check_method();
    check_elsewhere();
    return check_result();
}
