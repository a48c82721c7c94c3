/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The modified linear Shepard algorithm (Cameron et al., *MOANA* (2019), section 5.1; Thacker et
 * al., Algorithm 905: SHEPPACK, ACM Trans. Math. Softw. 37(3), 2010): a plane at each point,
 * fitted by weighted least squares to its neighbours; the planes are blended by distance.
 *
 * Where the paper's text and SHEPPACK's program differ, this code follows the program, which
 * produced the paper's figures: a node is not its own neighbour, and the rows of the least
 * squares are weighted by what the paper states as the square roots of the weights.
 */
#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "stat/model/internal.h"

#define FIT_RADIUS 1.1 /* the paper's R_p over the distance of the last neighbour */
/* Points whose distance is below this share of the diameter of all points nearly coincide (3.0 and
   3.001 GHz). They are not used as neighbours, since noise would make their plane steep. SHEPPACK
   has no such bound. */
#define COINCIDENT 0.001

struct shepard {
    const struct model_points *points;
    double *slope;  /* [n][dimensions]: slopes of the planes */
    double *radius; /* [n], R_w: radius within which a plane counts */
    double room[];
};

/* One of the points nearest to a place. They are sorted by distance, at equal distance by index. */
struct neighbour {
    double distance;
    size_t index;
};

#define MAX_NEIGHBOURS ((3 * MODEL_MAX_DIMENSIONS + 1) / 2)

static size_t fewest_points(size_t dimensions)
{
    return dimensions + 2;
}

static double distance_to(const struct model_points *p, size_t point, const double at[])
{
    double squares = 0;
    for (size_t j = 0; j < p->dimensions; j++) {
        double step = at[j] - p->at[point * p->dimensions + j];
        squares += step * step;
    }
    return sqrt(squares);
}

/* Inserts a point into the list of the nearest ones, which holds `count` of at most `limit`
   points. */
static size_t insert_neighbour(struct neighbour nearest[], size_t count, size_t limit,
                               struct neighbour one)
{
    if (count == limit && !(one.distance < nearest[count - 1].distance))
        return count;
    size_t place = count < limit ? count++ : count - 1;
    for (; place > 0 && one.distance < nearest[place - 1].distance; place--)
        nearest[place] = nearest[place - 1];
    nearest[place] = one;
    return count;
}

/* Workspace for the least squares of one node. */
struct solver {
    gsl_matrix *a, *v; /* a: [neighbours][dimensions]; v: [dimensions][dimensions] */
    gsl_vector *b, *singular, *work, *x;
};

static void free_solver(struct solver *s)
{
    gsl_matrix_free(s->a);
    gsl_matrix_free(s->v);
    gsl_vector_free(s->b);
    gsl_vector_free(s->singular);
    gsl_vector_free(s->work);
    gsl_vector_free(s->x);
}

static bool make_solver(struct solver *s, size_t neighbours, size_t dimensions)
{
    *s = (struct solver){.a = gsl_matrix_alloc(neighbours, dimensions),
                         .v = gsl_matrix_alloc(dimensions, dimensions),
                         .b = gsl_vector_alloc(neighbours),
                         .singular = gsl_vector_alloc(dimensions),
                         .work = gsl_vector_alloc(dimensions),
                         .x = gsl_vector_alloc(dimensions)};
    if (s->a && s->v && s->b && s->singular && s->work && s->x)
        return true;
    free_solver(s);
    return false;
}

/* Fits the plane of a node to its neighbours: of all planes that fit equally well, the one with the
   smallest slope. */
static void fit_plane(const struct model_points *p, size_t node, const struct neighbour nearest[],
                      size_t neighbours, struct solver *s, double slope[])
{
    size_t m = p->dimensions;
    gsl_matrix_set_zero(s->a);
    gsl_vector_set_zero(s->b);
    double radius = FIT_RADIUS * nearest[neighbours - 1].distance;
    for (size_t i = 0; i < neighbours; i++) {
        size_t k = nearest[i].index;
        double weight = (radius - nearest[i].distance) / (radius * nearest[i].distance);
        for (size_t j = 0; j < m; j++)
            gsl_matrix_set(s->a, i, j, weight * (p->at[k * m + j] - p->at[node * m + j]));
        gsl_vector_set(s->b, i, weight * (p->value[k] - p->value[node]));
    }
    gsl_linalg_SV_decomp(s->a, s->v, s->singular, s->work);
    double least = gsl_vector_get(s->singular, 0) * (double)s->a->size1 * DBL_EPSILON;
    for (size_t j = 0; j < m; j++)
        if (!(gsl_vector_get(s->singular, j) > least))
            gsl_vector_set(s->singular, j, 0);
    gsl_linalg_SV_solve(s->a, s->v, s->singular, s->b, s->x);
    for (size_t j = 0; j < m; j++)
        slope[j] = gsl_vector_get(s->x, j);
}

static double diameter_of(const struct model_points *p)
{
    double diameter = 0;
    for (size_t node = 0; node < p->n; node++)
        for (size_t i = 0; i < node; i++)
            diameter = fmax(diameter, distance_to(p, i, p->at + node * p->dimensions));
    return diameter;
}

/* Fits planes and radii of all nodes; a radius is at most half the diameter of all points. */
static void fit_planes(struct shepard *h, struct solver *s)
{
    const struct model_points *p = h->points;
    size_t neighbours = s->a->size1, m = p->dimensions;
    const double diameter = diameter_of(p);
    for (size_t node = 0; node < p->n; node++) {
        struct neighbour nearest[MAX_NEIGHBOURS] = {0};
        size_t count = 0;
        for (size_t i = 0; i < p->n; i++) {
            double distance = distance_to(p, i, p->at + node * m);
            if (i != node && distance >= COINCIDENT * diameter)
                count =
                    insert_neighbour(nearest, count, neighbours, (struct neighbour){distance, i});
        }
        /* count is above 0: the two ends of the diameter do not coincide */
        h->radius[node] = fmin(nearest[count - 1].distance, diameter / 2);
        fit_plane(p, node, nearest, count, s, h->slope + node * m);
    }
}

static int fit(void **state, const struct model_points *p, const struct model_options *options,
               struct err *e)
{
    (void)options;
    size_t m = p->dimensions, neighbours = (3 * m + 1) / 2;
    if (neighbours > p->n - 1)
        neighbours = p->n - 1;
    struct solver solver;
    struct shepard *h = calloc(1, sizeof *h + p->n * (m + 1) * sizeof(double));
    if (!h || !make_solver(&solver, neighbours, m)) {
        free(h);
        return err_no_memory(e, "%zu points", p->n);
    }
    h->points = p;
    h->radius = h->room;
    h->slope = h->room + p->n;
    fit_planes(h, &solver);
    free_solver(&solver);
    *state = h;
    return 0;
}

static double plane_at(const struct shepard *h, size_t node, const double at[])
{
    const struct model_points *p = h->points;
    double value = p->value[node];
    for (size_t j = 0; j < p->dimensions; j++)
        value += h->slope[node * p->dimensions + j] * (at[j] - p->at[node * p->dimensions + j]);
    return value;
}

/* Returns the value at a place outside all nodes' radii: the mean of the nearest values, weighted
   by inverse squared distance. */
static double blend_nearest(const struct model_points *p, const double at[])
{
    struct neighbour nearest[MODEL_MAX_DIMENSIONS + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++)
        count = insert_neighbour(nearest, count, p->dimensions + 1,
                                 (struct neighbour){distance_to(p, i, at), i});
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (nearest[i].distance * nearest[i].distance);
        sum += weight * p->value[nearest[i].index];
        weights += weight;
    }
    return sum / weights;
}

static void answer(const void *state, const double at[], struct model_answer *out)
{
    const struct shepard *h = state;
    double sum = 0, weights = 0;
    for (size_t node = 0; node < h->points->n; node++) {
        double distance = distance_to(h->points, node, at), radius = h->radius[node];
        if (distance >= radius)
            continue;
        if (distance == 0) {
            out->value = h->points->value[node];
            return;
        }
        double weight = (radius - distance) / (radius * distance);
        sum += weight * weight * plane_at(h, node, at);
        weights += weight * weight;
    }
    out->value = weights > 0 ? sum / weights : blend_nearest(h->points, at);
}

const struct model_method model_shepard = {
    .name = "lsp",
    .words = "linear Shepard",
    .distinct = true,
    .fewest_points = fewest_points,
    .fit = fit,
    .answer = answer,
    .release = free,
};
