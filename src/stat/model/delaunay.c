/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear interpolation on the Delaunay triangulation (Cameron et al., *MOANA* (2019), section 5.3),
 * of which only the simplex around each place is built (Chang et al., Algorithm 1012:
 * DELAUNAYSPARSE, ACM Trans. Math. Softw. 46(4), 2020). For a place outside the hull the answer is
 * the value at the hull's nearest point, marked as extrapolated.
 */
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/model/internal.h"

/* ---- places outside the hull ---- */

/*
 * Finds the nearest point of a convex hull by non-negative least squares with weights that sum to
 * 1: an active set of points, as in Lawson and Hanson's method, on the affine plane through them
 * (Wolfe, Finding the nearest point in a polytope, Math. Programming 11, 1976).
 */

struct hull_projection {
    size_t count; /* number of active points */
    /* indices of the active points, which are affinely independent */
    size_t point[MODEL_MAX_DIMENSIONS + 1];
    double weight[MODEL_MAX_DIMENSIONS + 1]; /* weights of these points, > 0, with the sum 1 */
    double distance;                         /* distance of the projection from the place */
    double at[MODEL_MAX_DIMENSIONS];
};

/* stops when the relative gain that another point promises is at most this */
#define CONVERGED 1e-14
#define MAX_STEPS 10000

/* Computes the point that the weights give, and the vector `from` from `at` to it. Returns its
   length. */
static double update_place(const struct model_points *p, const double at[],
                           struct hull_projection *h, double from[])
{
    double squares = 0;
    for (size_t j = 0; j < p->dimensions; j++) {
        from[j] = 0;
        for (size_t k = 0; k < h->count; k++)
            from[j] += h->weight[k] * (p->at[h->point[k] * p->dimensions + j] - at[j]);
        h->at[j] = at[j] + from[j];
        squares += from[j] * from[j];
    }
    return sqrt(squares);
}

/* Returns the point that lies farthest in the direction opposite to `from`, seen from `at`. Sets
 *along to its distance in that direction. */
static size_t most_promising(const struct model_points *p, const double at[], const double from[],
                             double *along)
{
    size_t best = 0;
    *along = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < p->dimensions; j++)
            sum += (p->at[i * p->dimensions + j] - at[j]) * from[j];
        if (sum < *along) {
            *along = sum;
            best = i;
        }
    }
    return best;
}

/* Computes the weights, of any sign, of the point of the plane through the active points that is
   nearest to `at`. */
static bool project_on_plane(const struct model_points *p, const double at[],
                             const struct hull_projection *h, double weight[])
{
    size_t m = p->dimensions, edges = h->count - 1;
    double edge[MODEL_MAX_DIMENSIONS * MODEL_MAX_DIMENSIONS], side[MODEL_MAX_DIMENSIONS];
    double tau[MODEL_MAX_DIMENSIONS], residual[MODEL_MAX_DIMENSIONS];
    const double *origin = p->at + h->point[0] * m;
    weight[0] = 1;
    if (edges == 0)
        return true;
    if (edges > m)
        return false;
    for (size_t j = 0; j < m; j++) {
        side[j] = at[j] - origin[j];
        for (size_t k = 0; k < edges; k++)
            edge[j * edges + k] = p->at[h->point[k + 1] * m + j] - origin[j];
    }
    gsl_matrix_view a = gsl_matrix_view_array(edge, m, edges);
    gsl_vector_view t = gsl_vector_view_array(tau, edges), b = gsl_vector_view_array(side, m);
    gsl_vector_view x = gsl_vector_view_array(weight + 1, edges);
    gsl_vector_view r = gsl_vector_view_array(residual, m);
    if (gsl_linalg_QR_decomp(&a.matrix, &t.vector) ||
        gsl_linalg_QR_lssolve(&a.matrix, &t.vector, &b.vector, &x.vector, &r.vector))
        return false;
    for (size_t k = 1; k <= edges; k++)
        weight[0] -= weight[k];
    for (size_t k = 0; k <= edges; k++)
        if (!isfinite(weight[k]))
            return false;
    return true;
}

/* Moves from the present weights towards `weight` until a weight is 0, and drops that point. */
static void step_to_boundary(struct hull_projection *h, const double weight[])
{
    double share = 1;
    size_t drop = 0;
    for (size_t k = 0; k < h->count; k++)
        if (weight[k] <= 0 && h->weight[k] / (h->weight[k] - weight[k]) <= share) {
            share = h->weight[k] / (h->weight[k] - weight[k]);
            drop = k;
        }
    for (size_t k = 0; k < h->count; k++)
        h->weight[k] += share * (weight[k] - h->weight[k]);
    h->count--;
    h->point[drop] = h->point[h->count];
    h->weight[drop] = h->weight[h->count];
}

/* Finds the weights after a point was added: projects onto the plane, and drops points until all
   weights are positive. */
static bool settle_weights(const struct model_points *p, const double at[],
                           struct hull_projection *h)
{
    for (;;) {
        double weight[MODEL_MAX_DIMENSIONS + 2];
        bool inside = true;
        if (!project_on_plane(p, at, h, weight))
            return false;
        for (size_t k = 0; k < h->count; k++)
            inside = inside && weight[k] > 0;
        if (inside) {
            for (size_t k = 0; k < h->count; k++)
                h->weight[k] = weight[k];
            return true;
        }
        step_to_boundary(h, weight);
    }
}

/* Returns the point nearest to a place (the lowest index of equal ones), and its distance. */
static size_t nearest_point(const struct model_points *p, const double at[], double *distance)
{
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        double squares = 0;
        for (size_t j = 0; j < p->dimensions; j++) {
            double step = p->at[i * p->dimensions + j] - at[j];
            squares += step * step;
        }
        if (squares < least) {
            least = squares;
            nearest = i;
        }
    }
    *distance = sqrt(least);
    return nearest;
}

/* Finds the point of the convex hull that is nearest to a place: min |X'w - at|, w >= 0, sum w =
   1. */
static void hull_project(const struct model_points *p, const double at[],
                         struct hull_projection *out)
{
    double from[MODEL_MAX_DIMENSIONS], along;
    struct hull_projection h = {.count = 1, .weight = {1}};
    h.point[0] = nearest_point(p, at, &h.distance);
    h.distance = update_place(p, at, &h, from);
    *out = h;
    for (int step = 0; step < MAX_STEPS && h.distance > 0; step++) {
        size_t next = most_promising(p, at, from, &along);
        if (along >= h.distance * (h.distance - CONVERGED) || h.count > p->dimensions)
            break;
        h.point[h.count] = next;
        h.weight[h.count++] = 0;
        if (!settle_weights(p, at, &h))
            break;
        h.distance = update_place(p, at, &h, from);
        if (!(h.distance < out->distance))
            break;
        *out = h;
    }
}

#define MAX_SEEDS 1000

/*
 * The triangulation. A walk begins at a seed, a simplex near the place. Each group of `spacing`
 * points has one seed; the walk uses that of the nearest point's group.
 */
struct delaunay {
    struct delaunay_points unit; /* the points, moved and scaled into the unit ball */
    const double *value;         /* [n] */
    double centre[MODEL_MAX_DIMENSIONS];
    double radius;
    size_t spacing, *seeds; /* points of a group; [groups][dimensions + 1]: vertices of each seed */
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

/* Builds the seeds. If a seed cannot be built, because the points nearby almost lie in a plane, the
   previous seed is used. */
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

/* Returns the value at the hull's nearest point: by the triangulation if the walk finds it,
   otherwise by the weights of the projection. */
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
    size_t nearest = nearest_point(&d->unit.rows, place, &distance);
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
