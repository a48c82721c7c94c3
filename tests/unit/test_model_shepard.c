/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The linear Shepard method compared with its formula, written in another way (all distances
 * sorted, normal equations), and with results of SHEPPACK.
 */
#include "tests/unit/model_checks.h"

#define MAX_POINTS  40
#define MAX_FACTORS 8

static double distance_of(const double a[], const double b[], size_t m)
{
    double squares = 0;
    for (size_t j = 0; j < m; j++)
        squares += pow(a[j] - b[j], 2);
    return sqrt(squares);
}

/* Returns the number of points nearer to point k than point i, without points at the place of k. */
static size_t rank_of(const struct model_points *p, size_t k, size_t i)
{
    size_t m = p->dimensions, nearer = 0;
    double d = distance_of(p->at + i * m, p->at + k * m, m);
    for (size_t l = 0; l < p->n; l++) {
        double other = distance_of(p->at + l * m, p->at + k * m, m);
        nearer += l != k && (other < d || (other == d && l < i));
    }
    return nearer;
}

static void eliminate(size_t m, double a[][MAX_FACTORS + 1])
{
    for (size_t c = 0; c < m; c++) {
        size_t pivot = c;
        for (size_t r = c; r < m; r++)
            if (fabs(a[r][c]) > fabs(a[pivot][c]))
                pivot = r;
        for (size_t j = 0; j <= m; j++) {
            double x = a[c][j];
            a[c][j] = a[pivot][j];
            a[pivot][j] = x;
        }
        for (size_t r = 0; r < m; r++) {
            double share = r == c ? 0 : a[r][c] / a[c][c];
            for (size_t j = 0; j <= m; j++)
                a[r][j] -= share * a[c][j];
        }
    }
}

/* Returns one node's plane at a place, and the radius of its influence without the bound by the
   diameter. */
static double plane_by_formula(const struct model_points *p, size_t k, size_t neighbours,
                               const double at[], double *radius)
{
    size_t m = p->dimensions;
    double a[MAX_FACTORS][MAX_FACTORS + 1] = {{0}}, value = p->value[k];
    *radius = 0;
    for (size_t i = 0; i < p->n; i++)
        if (i != k && rank_of(p, k, i) < neighbours)
            *radius = fmax(*radius, distance_of(p->at + i * m, p->at + k * m, m));
    for (size_t i = 0; i < p->n; i++) {
        if (i == k || rank_of(p, k, i) >= neighbours)
            continue;
        double d = distance_of(p->at + i * m, p->at + k * m, m);
        double weight = pow((1.1 * *radius - d) / (1.1 * *radius * d), 2);
        for (size_t r = 0; r < m; r++) {
            double x = p->at[i * m + r] - p->at[k * m + r];
            for (size_t c = 0; c < m; c++)
                a[r][c] += weight * x * (p->at[i * m + c] - p->at[k * m + c]);
            a[r][m] += weight * x * (p->value[i] - p->value[k]);
        }
    }
    eliminate(m, a);
    for (size_t j = 0; j < m; j++)
        value += a[j][m] / a[j][j] * (at[j] - p->at[k * m + j]);
    return value;
}

static double value_by_formula(const struct model_points *p, const double at[])
{
    size_t m = p->dimensions, neighbours = (3 * m + 1) / 2;
    double diameter = 0, sum = 0, weights = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->n; k++)
            diameter = fmax(diameter, distance_of(p->at + i * m, p->at + k * m, m));
    if (neighbours > p->n - 1)
        neighbours = p->n - 1;
    for (size_t k = 0; k < p->n; k++) {
        double radius, d = distance_of(at, p->at + k * m, m);
        double value = plane_by_formula(p, k, neighbours, at, &radius);
        radius = fmin(radius, diameter / 2);
        if (d < radius) {
            double weight = pow((radius - d) / (radius * d), 2);
            sum += weight * value;
            weights += weight;
        }
    }
    return weights > 0 ? sum / weights : NAN;
}

static void check_formula(size_t dimensions, size_t n)
{
    struct model_points p = chance_points(n, dimensions, 5 + dimensions);
    struct model_points q = chance_points(20, dimensions, 77);
    struct model *m = fit_points("lsp", &p);
    size_t compared = 0;
    for (size_t i = 0; i < q.n; i++) {
        const double *at = q.at + i * dimensions;
        double expected = value_by_formula(&p, at), actual = model_answer(m, at).value;
        CHECK(isfinite(actual));
        if (isnan(expected))
            continue;
        compared++;
        CHECK_NEAR(actual, expected, 1e-7);
    }
    CHECK(compared > 5);
    for (size_t i = 0; i < n; i++)
        CHECK(model_answer(m, p.at + i * dimensions).value == p.value[i]);
    model_free(m);
    free_points(&p);
    free_points(&q);
}

/* Two levels that nearly coincide, with noise in their values: the surface stays within the values,
   and passes through each point. */
static void check_coincident(void)
{
    enum { LEVELS = 5, OTHERS = 4 };
    static const double ghz[LEVELS] = {1.2, 1.8, 2.4, 3.0, 3.001};
    double at[LEVELS * OTHERS * 2], value[LEVELS * OTHERS];
    for (size_t i = 0; i < LEVELS * OTHERS; i++) {
        at[2 * i] = ghz[i % LEVELS];
        at[2 * i + 1] = (double)(i / LEVELS);
        value[i] = 100 + 10 * ghz[i % LEVELS] + (double)(i * 7 % 5);
    }
    struct model_points p = {.n = LEVELS * OTHERS, .dimensions = 2, .at = at, .value = value};
    struct model *m = fit_points("lsp", &p);
    for (double x = 1.2; x <= 3; x += 0.05)
        for (double y = 0; y <= 3; y += 0.25) {
            const double answer = model_answer(m, (double[]){x, y}).value;
            CHECK(answer > 95 && answer < 150);
        }
    for (size_t i = 0; i < p.n; i++)
        CHECK(model_answer(m, at + 2 * i).value == value[i]);
    model_free(m);
}

/* Where no radius reaches: inverse squares over the m + 1 nearest values. */
static void check_far_away(void)
{
    const double x[] = {0, 1, 2, 3}, y[] = {1, 2, 4, 3};
    struct model_points p = {.n = 4, .dimensions = 1, .at = x, .value = y};
    struct model *m = fit_points("lsp", &p);
    struct model_answer a = model_answer(m, (double[]){10});
    CHECK_NEAR(a.value, (3 / 49.0 + 4 / 64.0) / (1 / 49.0 + 1 / 64.0), 1e-12);
    CHECK(a.extrapolated && isinf(a.error));
    model_free(m);
}

/* Slopes along a factor that never varies are 0: of all equally good fits, the smallest is taken.
 */
static void check_constant_factor(void)
{
    struct model_points p = chance_points(30, 2, 9);
    double wide[30][3];
    for (size_t i = 0; i < 30; i++) {
        wide[i][0] = p.at[2 * i];
        wide[i][1] = 7;
        wide[i][2] = p.at[2 * i + 1];
    }
    struct model_points w = {.n = 30, .dimensions = 3, .at = wide[0], .value = p.value};
    struct model *m = fit_points("lsp", &w);
    for (int i = 0; i < 20; i++) {
        double at[] = {0.05 * i, 7, 0.3}, off[] = {0.05 * i, 7.001, 0.3};
        double value = model_answer(m, at).value;
        CHECK(isfinite(value) && fabs(model_answer(m, off).value - value) < 0.01);
        CHECK(model_answer(m, off).extrapolated);
    }
    model_free(m);
    free_points(&p);
}

static void check_refusals(void)
{
    double x[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 0}};
    const double y[] = {1, 2, 3, 4, 5};
    struct model_points p = {.n = 5, .dimensions = 2, .at = x[0], .value = y};
    check_points_refused("lsp", &p, "points 2 and 5 have the same factors");
    p.n = 3;
    check_points_refused("lsp", &p, "needs at least 4 points for 2 factors");
    p.n = 4;
    x[2][0] = 1e300;
    check_points_refused("lsp", &p, "point 3: factor 1 is 1e+300");
}

int main(void)
{
    for (size_t dimensions = 1; dimensions <= MAX_FACTORS; dimensions++)
        check_formula(dimensions, MAX_POINTS);
    check_formula(3, 6); /* fewer neighbours than the rule needs */
    check_coincident();
    check_far_away();
    check_constant_factor();
    check_refusals();
    check_case_elsewhere("lsp", "lsp_2d", 2, 1e-9);
    check_case_elsewhere("lsp", "lsp_3d", 3, 1e-9);
    check_case_elsewhere("lsp", "lsp_grid", 2, 1e-8);
    check_real_map_elsewhere("lsp", "lsp", 1e-8);
    return check_result();
}
