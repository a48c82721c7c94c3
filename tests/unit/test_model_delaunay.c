/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delaunay interpolation compared with all triangles of a plane, tried one by one; linear
 * functions, which it must reproduce in any dimension and on grids; places outside the hull; and
 * results of DELAUNAYSPARSE.
 */
#include "tests/unit/model_checks.h"

#define PLANE 30

/* ---- all triangles ---- */

/* Returns twice the signed area. */
static double area(const double a[], const double b[], const double c[])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Returns a value above 0 if d is in the circle through a, b, c, which are counterclockwise. */
static double in_circle(const double a[], const double b[], const double c[], const double d[])
{
    double m[3][3];
    const double *corner[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        m[i][0] = corner[i][0] - d[0];
        m[i][1] = corner[i][1] - d[1];
        m[i][2] = m[i][0] * m[i][0] + m[i][1] * m[i][1];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static bool is_delaunay(const struct model_points *p, const double a[], const double b[],
                        const double c[])
{
    for (size_t i = 0; i < p->n; i++)
        if (in_circle(a, b, c, p->at + 2 * i) > 1e-12)
            return false;
    return true;
}

/* Returns NaN outside the hull. */
static double value_by_triangles(const struct model_points *p, const double at[])
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            for (size_t k = j + 1; k < p->n; k++) {
                const double *a = p->at + 2 * i, *b = p->at + 2 * j, *c = p->at + 2 * k;
                double whole = area(a, b, c);
                if (i >= j || fabs(whole) < 1e-12)
                    continue;
                double u = area(at, b, c) / whole, v = area(a, at, c) / whole, w = 1 - u - v;
                if (u >= 0 && v >= 0 && w >= 0 &&
                    (whole > 0 ? is_delaunay(p, a, b, c) : is_delaunay(p, a, c, b)))
                    return u * p->value[i] + v * p->value[j] + w * p->value[k];
            }
    return NAN;
}

/* Returns the distance of an outside place to the hull: to the nearest of all segments between
   points. */
static double distance_by_segments(const struct model_points *p, const double at[], double foot[])
{
    double least = INFINITY;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++) {
            const double *a = p->at + 2 * i, *b = p->at + 2 * j;
            double x = b[0] - a[0], y = b[1] - a[1], length = x * x + y * y;
            double share = length > 0 ? ((at[0] - a[0]) * x + (at[1] - a[1]) * y) / length : 0;
            share = fmax(0, fmin(1, share));
            double f[] = {a[0] + share * x, a[1] + share * y};
            double d = hypot(f[0] - at[0], f[1] - at[1]);
            if (d < least) {
                least = d;
                memcpy(foot, f, sizeof f);
            }
        }
    return least;
}

static void check_plane(uint64_t seed)
{
    struct model_points p = chance_points(PLANE, 2, seed), q = chance_points(60, 2, seed + 100);
    struct model *m = fit_points("delaunay", &p);
    size_t inside = 0;
    for (size_t i = 0; i < q.n; i++) {
        double at[] = {1.4 * q.at[2 * i] - 0.2, 1.4 * q.at[2 * i + 1] - 0.2}, foot[2];
        struct model_answer a = model_answer(m, at);
        double expected = value_by_triangles(&p, at);
        CHECK_INT(a.extrapolated, isnan(expected));
        if (!isnan(expected)) {
            inside++;
            CHECK_NEAR(a.value, expected, 1e-9);
        } else {
            distance_by_segments(&p, at, foot);
            CHECK_NEAR(a.value, model_answer(m, foot).value, 1e-7);
            CHECK(!model_answer(m, foot).extrapolated);
        }
    }
    CHECK(inside > 10 && inside < q.n - 5);
    model_free(m);
    free_points(&p);
    free_points(&q);
}

/* ---- linear functions ---- */

static double linear(const double at[], size_t dimensions)
{
    double sum = 0.3;
    for (size_t j = 0; j < dimensions; j++)
        sum += (double)(j + 1) * (j % 2 ? -0.7 : 1.1) * at[j];
    return sum;
}

/* Between points with a linear function that function is reproduced, and nothing is extrapolated.
 */
static void check_linear(struct model_points *p, uint64_t seed, size_t places)
{
    size_t d = p->dimensions;
    struct random random;
    double *value = (double *)p->value, at[MODEL_MAX_DIMENSIONS];
    for (size_t i = 0; i < p->n; i++)
        value[i] = linear(p->at + i * d, d);
    struct model *m = fit_points("delaunay", p);
    random_seed(&random, seed, 0);
    for (size_t i = 0; i < places; i++) {
        const double *a = p->at + random_below(&random, p->n) * d;
        const double *b = p->at + random_below(&random, p->n) * d;
        const double *c = p->at + random_below(&random, p->n) * d;
        for (size_t j = 0; j < d; j++)
            at[j] = 0.5 * a[j] + 0.25 * b[j] + 0.25 * c[j];
        struct model_answer answer = model_answer(m, at);
        CHECK(fabs(answer.value - linear(at, d)) < 1e-6 * (1 + fabs(linear(at, d))));
        CHECK(!answer.extrapolated);
    }
    for (size_t i = 0; i < p->n; i++)
        CHECK(model_answer(m, p->at + i * d).value == value[i]);
    model_free(m);
}

/* Makes points like those of the published map: a grid, whose points lie on common spheres and all
   on the hull. */
static struct model_points grid_points(bool logarithmic)
{
    static const double sizes[6][2] = {{64, 32},   {256, 32},   {1024, 32},
                                       {256, 128}, {1024, 128}, {1024, 512}};
    struct model_points p = {.n = 6 * 5 * 7, .dimensions = 4};
    double *at = calloc(p.n * 4, sizeof *at);
    size_t n = 0;
    for (size_t f = 0; f < 7; f++)
        for (size_t t = 0; t < 5; t++)
            for (size_t s = 0; s < 6; s++, n++) {
                double x[] = {1.2 + 0.3 * (double)f, (double)(1u << (2 * t)), sizes[s][0],
                              sizes[s][1]};
                for (size_t j = 0; j < 4; j++)
                    at[4 * n + j] = logarithmic ? log(x[j]) : x[j];
            }
    p.at = at;
    p.value = calloc(p.n, sizeof *p.value);
    return p;
}

/* On a grid the values at a cell's corners bound those inside, whatever diagonals are chosen. */
static void check_cells(void)
{
    double x[25][2], y[25];
    for (size_t i = 0; i < 25; i++) {
        x[i][0] = (double)(i % 5);
        x[i][1] = (double)(i / 5);
        y[i] = (double)((i * 7) % 11);
    }
    struct model_points p = {.n = 25, .dimensions = 2, .at = x[0], .value = y};
    struct model *m = fit_points("delaunay", &p);
    for (size_t i = 0; i < 400; i++) {
        double at[] = {(double)(i % 20) / 5 + 0.1, (double)(i / 20) / 5 + 0.1};
        if (at[0] > 4 || at[1] > 4)
            continue;
        size_t corner = (size_t)at[0] + 5 * (size_t)at[1];
        double u = at[0] - floor(at[0]), v = at[1] - floor(at[1]);
        double a = y[corner], b = y[corner + 1], c = y[corner + 5], d = y[corner + 6];
        double rising = u > v ? a + u * (b - a) + v * (d - b) : a + v * (c - a) + u * (d - c);
        double falling =
            u + v < 1 ? a + u * (b - a) + v * (c - a) : d + (1 - u) * (c - d) + (1 - v) * (b - d);
        double actual = model_answer(m, at).value;
        CHECK(fabs(actual - rising) < 1e-9 || fabs(actual - falling) < 1e-9);
    }
    model_free(m);
}

/* ---- other ---- */

static double value_along(const struct model *m, size_t dimensions, double share)
{
    double at[MODEL_MAX_DIMENSIONS];
    for (size_t j = 0; j < dimensions; j++)
        at[j] = -0.2 + 1.4 * share + 0.03 * (double)j;
    return model_answer(m, at).value;
}

/* Returns the largest change between neighbours among `steps` + 1 places, and the place before it.
 */
static double largest_change(const struct model *m, size_t dimensions, double begin, double end,
                             int steps, double *where)
{
    double before = value_along(m, dimensions, begin), largest = 0;
    for (int step = 1; step <= steps; step++) {
        double share = begin + (end - begin) * step / steps;
        double value = value_along(m, dimensions, share);
        if (fabs(value - before) > largest) {
            largest = fabs(value - before);
            *where = share - (end - begin) / steps;
        }
        before = value;
    }
    return largest;
}

/* There is no jump along a line that enters and leaves the hull: the steepest part, divided by 64,
   is not steep. */
static void check_continuous(size_t dimensions)
{
    struct model_points p = chance_points(80, dimensions, 40 + dimensions);
    struct model *m = fit_points("delaunay", &p);
    double where = 0, there;
    double coarse = largest_change(m, dimensions, 0, 1, 2000, &where);
    double fine = largest_change(m, dimensions, where, where + 1 / 2000.0, 64, &there);
    CHECK(coarse > 0 && fine < coarse / 16);
    model_free(m);
    free_points(&p);
}

static void check_one_factor(void)
{
    const double x[] = {3, 1, 7, 4}, y[] = {30, 10, 20, 50};
    struct model_points p = {.n = 4, .dimensions = 1, .at = x, .value = y};
    struct model *m = fit_points("delaunay", &p);
    CHECK_NEAR(model_answer(m, (double[]){2}).value, 20, 1e-12);
    CHECK_NEAR(model_answer(m, (double[]){5.5}).value, 35, 1e-12);
    struct model_answer a = model_answer(m, (double[]){8});
    CHECK_NEAR(a.value, 20, 1e-12);
    CHECK(a.extrapolated && isinf(a.error) && !model_answer(m, (double[]){7}).extrapolated);
    model_free(m);
}

static void check_refusals(void)
{
    double x[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 0}};
    const double y[] = {1, 2, 3, 4, 5};
    struct model_points p = {.n = 5, .dimensions = 2, .at = x[0], .value = y};
    check_points_refused("delaunay", &p, "points 2 and 5 have the same factors");
    p.n = 2;
    check_points_refused("delaunay", &p, "needs at least 3 points for 2 factors");
    p.n = 4;
    for (size_t i = 0; i < 4; i++)
        x[i][1] = 5 - 2 * (x[i][0] = (double)i);
    check_points_refused("delaunay", &p, "factor 2 follows from the factors before it");
    for (size_t i = 0; i < 4; i++)
        x[i][1] = (double)(i * i) * 1e-12;
    check_points_refused("delaunay", &p, "the points lie in a plane beside the extent of all");
    x[1][0] = 1e-12;
    x[0][1] = x[1][1] = 0;
    check_points_refused("delaunay", &p, "points 1 and 2 are too near each other");
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_plane(seed);
    for (size_t dimensions = 1; dimensions <= 8; dimensions++) {
        struct model_points p = chance_points(80, dimensions, dimensions);
        check_linear(&p, 3, 100);
        free_points(&p);
    }
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        struct model_points p = grid_points(logarithmic);
        check_linear(&p, 4, 500);
        free_points(&p);
    }
    check_cells();
    for (size_t dimensions = 2; dimensions <= 6; dimensions++)
        check_continuous(dimensions);
    check_one_factor();
    check_refusals();
    check_case_elsewhere("delaunay", "delaunay_2d", 2, 1e-8);
    check_case_elsewhere("delaunay", "delaunay_3d", 3, 1e-8);
    check_real_map_elsewhere("delaunay", "delaunay", 1e-8);
    return check_result();
}
