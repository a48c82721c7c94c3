/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks from one simplex of a Delaunay triangulation to the next, until it reaches the simplex that
 * contains the place. Grids put many points on one sphere. Of equally good points, the one farthest
 * from the facet makes the simplex with the best shape. If the walk runs in a circle with this
 * choice, choosing the point with the lowest index ends it (Bland's rule; the walk is the dual
 * simplex method on the lifted points).
 */
#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/model/internal.h"

#define SAME_SPHERE 1e-10 /* smaller distances of centres count as 0, in the unit ball */
#define QUICK_STEPS 500   /* number of steps before Bland's rule is used */
#define MAX_STEPS   20000
#define NO_POINT    ((size_t)-1)

static void subtract(const double a[], const double b[], size_t n, double out[])
{
    for (size_t j = 0; j < n; j++)
        out[j] = a[j] - b[j];
}

bool delaunay_prepare(const struct model_points *p, struct simplex *s)
{
    size_t m = s->dimensions, order[MODEL_MAX_DIMENSIONS];
    double edge[MODEL_MAX_DIMENSIONS * MODEL_MAX_DIMENSIONS], half[MODEL_MAX_DIMENSIONS];
    const double *origin = p->at + s->vertex[0] * m;
    for (size_t k = 0; k < m; k++) {
        const double *end = p->at + s->vertex[k + 1] * m;
        half[k] = 0;
        for (size_t j = 0; j < m; j++) {
            double step = end[j] - origin[j];
            edge[j * m + k] = step;
            half[k] += step * step / 2;
        }
    }
    gsl_matrix_view lu = gsl_matrix_view_array(edge, m, m);
    gsl_matrix_view inverse =
        gsl_matrix_view_array_with_tda(s->inverse[0], m, m, MODEL_MAX_DIMENSIONS);
    gsl_permutation permutation = {m, order};
    int sign;
    gsl_permutation_init(&permutation);
    if (gsl_linalg_LU_decomp(&lu.matrix, &permutation, &sign) ||
        gsl_linalg_LU_invert(&lu.matrix, &permutation, &inverse.matrix))
        return false;
    for (size_t j = 0; j < m; j++) {
        s->centre[j] = origin[j];
        for (size_t k = 0; k < m; k++)
            s->centre[j] += s->inverse[k][j] * half[k];
    }
    return true;
}

/* ---- the first simplex ---- */

/* A simplex under construction: the directions between its points as an orthonormal basis, and the
   centre, relative to the first point, of the smallest sphere through the points. */
struct growth {
    size_t count;
    double basis[MODEL_MAX_DIMENSIONS][MODEL_MAX_DIMENSIONS];
    double centre[MODEL_MAX_DIMENSIONS];
};

/* Adds the point that gives the smallest sphere; no other point lies inside that sphere. */
static size_t grow(const struct model_points *p, const double origin[], struct growth *g)
{
    size_t m = p->dimensions, best = NO_POINT;
    double best_move = INFINITY, best_height = 0, best_normal[MODEL_MAX_DIMENSIONS];
    for (size_t i = 0; i < p->n; i++) {
        double step[MODEL_MAX_DIMENSIONS], normal[MODEL_MAX_DIMENSIONS];
        subtract(p->at + i * m, origin, m, step);
        memcpy(normal, step, sizeof *normal * m);
        for (size_t k = 0; k < g->count; k++) {
            double along = sum_of_products(normal, g->basis[k], m);
            for (size_t j = 0; j < m; j++)
                normal[j] -= along * g->basis[k][j];
        }
        double height = sqrt(sum_of_products(normal, normal, m));
        if (height < DELAUNAY_ROUNDING)
            continue;
        double move =
            (sum_of_products(step, step, m) / 2 - sum_of_products(g->centre, step, m)) / height;
        if (move < best_move - SAME_SPHERE ||
            (move < best_move + SAME_SPHERE && height > best_height)) {
            best = i;
            best_move = move;
            best_height = height;
            memcpy(best_normal, normal, sizeof *normal * m);
        }
    }
    for (size_t j = 0; j < m && best != NO_POINT; j++) {
        g->basis[g->count][j] = best_normal[j] / best_height;
        g->centre[j] += best_move * g->basis[g->count][j];
    }
    g->count++;
    return best;
}

bool delaunay_first_simplex(const struct model_points *p, size_t start, struct simplex *s)
{
    struct growth g = {0};
    s->dimensions = p->dimensions;
    s->vertex[0] = start;
    for (size_t k = 1; k <= p->dimensions; k++) {
        s->vertex[k] = grow(p, p->at + start * p->dimensions, &g);
        if (s->vertex[k] == NO_POINT)
            return false;
    }
    return delaunay_prepare(p, s);
}

/* ---- the walk ---- */

/* Computes the barycentric weights, and refines them once by their residual. */
static void weigh(const struct model_points *p, const struct simplex *s, const double at[],
                  double weight[])
{
    size_t m = s->dimensions;
    double rest[MODEL_MAX_DIMENSIONS];
    const double *origin = p->at + s->vertex[0] * m;
    memset(weight, 0, sizeof *weight * (m + 1));
    for (int round = 0; round < 2; round++) {
        subtract(at, origin, m, rest);
        for (size_t k = 1; k <= m; k++)
            for (size_t j = 0; j < m; j++)
                rest[j] -= weight[k] * (p->at[s->vertex[k] * m + j] - origin[j]);
        for (size_t k = 1; k <= m; k++)
            weight[k] += sum_of_products(s->inverse[k - 1], rest, m);
    }
    weight[0] = 1;
    for (size_t k = 1; k <= m; k++)
        weight[0] -= weight[k];
}

/* Returns the vertex that the walk replaces: the vertex with the most negative weight, or by
   Bland's rule the one with the lowest index among those with a negative weight. NO_POINT: no
   weight is negative. */
static size_t vertex_to_leave(const struct simplex *s, const double weight[], bool lowest)
{
    size_t leave = NO_POINT;
    for (size_t k = 0; k <= s->dimensions; k++)
        if (weight[k] < -DELAUNAY_ROUNDING &&
            (leave == NO_POINT ||
             (lowest ? s->vertex[k] < s->vertex[leave] : weight[k] < weight[leave])))
            leave = k;
    return leave;
}

/* Computes the unit normal of the facet opposite to vertex k, pointing away from k. */
static void facet_normal(const struct simplex *s, size_t k, double normal[])
{
    size_t m = s->dimensions;
    for (size_t j = 0; j < m; j++) {
        normal[j] = 0;
        for (size_t i = 0; i < m && k == 0; i++)
            normal[j] += s->inverse[i][j];
        if (k > 0)
            normal[j] = -s->inverse[k - 1][j];
    }
    double length = sqrt(sum_of_products(normal, normal, m));
    for (size_t j = 0; j < m; j++)
        normal[j] /= length;
}

/* Distances of a block of points from a facet. `height`: distance above the facet; `reach`: how far
   the centre of the sphere through the facet moves along the normal until the sphere touches the
   point, times the height. */
struct block {
    double height[DELAUNAY_BLOCK], reach[DELAUNAY_BLOCK];
};

static void measure_block(const struct delaunay_points *p, size_t begin, const double base[],
                          const double normal[], const double from_centre[], struct block *b)
{
    for (size_t i = 0; i < DELAUNAY_BLOCK; i++)
        b->height[i] = b->reach[i] = 0;
    for (size_t j = 0; j < p->rows.dimensions; j++) {
        const double *column = p->column + j * p->stride + begin;
        for (size_t i = 0; i < DELAUNAY_BLOCK; i++) {
            double step = column[i] - base[j];
            b->height[i] += step * normal[j];
            b->reach[i] += step * (step / 2 + from_centre[j]);
        }
    }
}

/*
 * Returns the point beyond the facet opposite to vertex k for which the sphere through the facet
 * and the point holds no other point: the first one that the sphere touches as its centre moves
 * along the normal. NO_POINT: the facet is on the hull.
 */
static size_t point_beyond(const struct delaunay_points *p, const struct simplex *s, size_t k,
                           bool lowest)
{
    size_t m = s->dimensions, best = NO_POINT;
    double normal[MODEL_MAX_DIMENSIONS], from_centre[MODEL_MAX_DIMENSIONS];
    double best_move = INFINITY, best_height = 0;
    const double *base = p->rows.at + s->vertex[k == 0] * m;
    facet_normal(s, k, normal);
    subtract(base, s->centre, m, from_centre);
    for (size_t begin = 0; begin < p->rows.n; begin += DELAUNAY_BLOCK) {
        struct block b;
        size_t left = p->rows.n - begin;
        measure_block(p, begin, base, normal, from_centre, &b);
        for (size_t i = 0; i < (left < DELAUNAY_BLOCK ? left : DELAUNAY_BLOCK); i++) {
            double height = b.height[i];
            /* this comparison rejects most candidates without a division */
            if (height < DELAUNAY_ROUNDING || b.reach[i] > (best_move + SAME_SPHERE) * height)
                continue;
            double move = b.reach[i] / height;
            if (move < best_move - SAME_SPHERE || (!lowest && height > best_height)) {
                best = begin + i;
                best_move = move;
                best_height = height;
            }
        }
    }
    return best;
}

enum delaunay_place delaunay_walk(const struct delaunay_points *p, const double at[],
                                  struct simplex *s, double weight[])
{
    for (size_t step = 0; step < MAX_STEPS; step++) {
        bool lowest = step >= QUICK_STEPS;
        weigh(&p->rows, s, at, weight);
        size_t leave = vertex_to_leave(s, weight, lowest);
        if (leave == NO_POINT)
            return DELAUNAY_FOUND;
        size_t enter = point_beyond(p, s, leave, lowest);
        if (enter == NO_POINT)
            return DELAUNAY_OUTSIDE;
        s->vertex[leave] = enter;
        if (!delaunay_prepare(&p->rows, s))
            return DELAUNAY_LOST;
    }
    return DELAUNAY_LOST;
}
