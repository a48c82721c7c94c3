/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear interpolation on the Delaunay triangulation (Cameron et al., *MOANA* (2019), section 5.3),
 * but only the simplex around each place is built (Chang et al., Algorithm 1012: DELAUNAYSPARSE,
 * ACM Trans. Math. Softw. 46(4), 2020). A place outside the hull takes the value of the hull's
 * nearest point, and the answer is marked as extrapolated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/model/internal.h"

#define MAX_SEEDS 1000

/*
 * A walk begins at a simplex near the place. Every group of `spacing` points has one, its seed; the
 * group of the nearest point gives the seed.
 */
struct delaunay {
    struct delaunay_points unit; /* the points in the unit ball */
    const double *value;         /* [n] */
    double centre[MODEL_MAX_DIMENSIONS];
    double radius;
    size_t spacing, *seeds; /* [n / spacing, rounded up][dimensions + 1]: vertices */
};

static size_t fewest_points(size_t dimensions)
{
    return dimensions + 1;
}

static double distance_between(const double a[], const double b[], size_t dimensions)
{
    double squares = 0;
    for (size_t j = 0; j < dimensions; j++)
        squares += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(squares);
}

static bool allocate(struct delaunay *d, const struct model_points *p)
{
    size_t m = p->dimensions;
    d->spacing = (p->n + MAX_SEEDS - 1) / MAX_SEEDS;
    d->unit.stride = (p->n + DELAUNAY_BLOCK - 1) / DELAUNAY_BLOCK * DELAUNAY_BLOCK;
    d->unit.rows = (struct model_points){.n = p->n, .dimensions = m};
    d->unit.rows.at = calloc(p->n * m, sizeof(double));
    d->unit.column = calloc(d->unit.stride * m, sizeof(double));
    d->seeds = calloc((p->n + d->spacing - 1) / d->spacing * (m + 1), sizeof *d->seeds);
    return d->unit.rows.at && d->unit.column && d->seeds;
}

static void release(void *state)
{
    struct delaunay *d = state;
    free((double *)d->unit.rows.at);
    free((double *)d->unit.column);
    free(d->seeds);
    free(d);
}

static void move_to_unit_ball(struct delaunay *d, const struct model_points *p)
{
    size_t m = p->dimensions;
    double *row = (double *)d->unit.rows.at, *column = (double *)d->unit.column;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < m; j++)
            d->centre[j] += p->at[i * m + j] / (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        d->radius = fmax(d->radius, distance_between(p->at + i * m, d->centre, m));
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < m; j++) {
            row[i * m + j] = (p->at[i * m + j] - d->centre[j]) / d->radius;
            column[j * d->unit.stride + i] = row[i * m + j];
        }
}

static int check_apart(const struct model_points *p, struct err *e)
{
    size_t m = p->dimensions;
    for (size_t i = 1; i < p->n; i++)
        for (size_t k = 0; k < i; k++)
            if (distance_between(p->at + i * m, p->at + k * m, m) < DELAUNAY_ROUNDING)
                return err_set(e, ERR_USAGE,
                               "points %zu and %zu are too near each other beside the extent of "
                               "all: change the unit of a factor, or take it on a logarithmic axis",
                               k + 1, i + 1);
    return 0;
}

/* A seed that cannot be grown, near points that almost lie in a plane, is replaced by the previous
   one. */
static int grow_seeds(struct delaunay *d, struct err *e)
{
    size_t m = d->unit.rows.dimensions, grown = 0;
    struct simplex s;
    for (size_t i = 0; i < d->unit.rows.n; i += d->spacing) {
        size_t *seed = d->seeds + i / d->spacing * (m + 1);
        if (delaunay_first_simplex(&d->unit.rows, i, &s))
            memcpy(seed, s.vertex, (m + 1) * sizeof *seed);
        else if (grown > 0)
            memcpy(seed, seed - (m + 1), (m + 1) * sizeof *seed);
        else
            break;
        grown++;
    }
    return grown > 0 ? 0
                     : err_set(e, ERR_USAGE,
                               "the points lie in a plane beside the extent of all: change the "
                               "unit of a factor, or take it on a logarithmic axis");
}

static int fit(void **state, const struct model_points *p, const struct model_options *options,
               struct err *e)
{
    (void)options;
    struct delaunay *d = calloc(1, sizeof *d);
    if (!d)
        return err_no_memory(e, "%zu points", p->n);
    d->value = p->value;
    int result = 0;
    if (!allocate(d, p)) {
        result = err_no_memory(e, "%zu points", p->n);
    } else {
        move_to_unit_ball(d, p);
        if (check_apart(&d->unit.rows, e) || grow_seeds(d, e))
            result = -1;
    }
    if (result == 0)
        *state = d;
    else
        release(d);
    return result;
}

/* Returns the value at the hull's nearest point, by the triangulation if the walk gets there. */
static double value_on_hull(const struct delaunay *d, struct simplex *s, const double at[],
                            struct model_answer *out)
{
    struct hull_projection hull;
    double weight[MODEL_MAX_DIMENSIONS + 1], value = 0;
    hull_project(&d->unit.rows, at, &hull);
    out->extrapolated = hull.distance > DELAUNAY_ROUNDING;
    if (delaunay_walk(&d->unit, hull.at, s, weight) == DELAUNAY_FOUND) {
        for (size_t k = 0; k <= d->unit.rows.dimensions; k++)
            value += weight[k] * d->value[s->vertex[k]];
    } else {
        for (size_t k = 0; k < hull.count; k++)
            value += hull.weight[k] * d->value[hull.point[k]];
    }
    return value;
}

static void answer(const void *state, const double at[], struct model_answer *out)
{
    const struct delaunay *d = state;
    size_t m = d->unit.rows.dimensions;
    double place[MODEL_MAX_DIMENSIONS] = {0}, weight[MODEL_MAX_DIMENSIONS + 1], distance;
    struct simplex s = {.dimensions = m};
    for (size_t j = 0; j < m; j++)
        place[j] = (at[j] - d->centre[j]) / d->radius;
    size_t nearest = points_nearest(&d->unit.rows, place, &distance);
    out->extrapolated = false;
    out->value = d->value[nearest];
    if (distance == 0)
        return;
    memcpy(s.vertex, d->seeds + nearest / d->spacing * (m + 1), (m + 1) * sizeof *s.vertex);
    if (!delaunay_prepare(&d->unit.rows, &s) ||
        delaunay_walk(&d->unit, place, &s, weight) != DELAUNAY_FOUND) {
        out->value = value_on_hull(d, &s, place, out);
        return;
    }
    out->value = 0;
    for (size_t k = 0; k <= m; k++)
        out->value += weight[k] * d->value[s.vertex[k]];
}

const struct model_method model_delaunay = {
    .name = "delaunay",
    .words = "Delaunay interpolation",
    .distinct = true,
    .full_rank = true,
    .fewest_points = fewest_points,
    .fit = fit,
    .answer = answer,
    .release = release,
};
