/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nearest point of a convex hull, by non-negative least squares whose weights have the sum 1:
 * an active set of points, as in Lawson and Hanson's method, on the affine plane through them
 * (Wolfe, Finding the nearest point in a polytope, Math. Programming 11, 1976).
 */
#include <gsl/gsl_linalg.h>
#include <math.h>

#include "stat/model/internal.h"

#define CONVERGED 1e-14 /* relative to the gain that another point may promise */
#define MAX_STEPS 10000

/* Computes the vector from `at` to the point of the projection that the weights give, and its
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

/* Returns the point that lies farthest in the direction opposite to `from`, seen from `at`, and how
   far. */
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

/* Computes the weights, of any sign, of the point nearest to `at` on the plane through the active
   points. */
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

/* Moves from the present weights towards `weight` until one is 0, and drops that point. */
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

/* Solves with the new point active: projects onto the plane, and drops points until all weights are
   positive. */
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

void hull_project(const struct model_points *p, const double at[], struct hull_projection *out)
{
    double from[MODEL_MAX_DIMENSIONS], along;
    struct hull_projection h = {.count = 1, .weight = {1}};
    h.point[0] = points_nearest(p, at, &h.distance);
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
