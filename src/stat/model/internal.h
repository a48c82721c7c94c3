/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/model. */
#ifndef CUPEL_STAT_MODEL_INTERNAL_H
#define CUPEL_STAT_MODEL_INTERNAL_H

#include "stat/model/model.h"

/* The methods, in the order in which reports list them. */
#define MODEL_METHOD_ROWS(ROW)        ROW(linear) ROW(shepard) ROW(mars) ROW(delaunay) ROW(gaussian)
#define MODEL_METHOD_DECLARATION(row) extern const struct model_method model_##row;
MODEL_METHOD_ROWS(MODEL_METHOD_DECLARATION)
#undef MODEL_METHOD_DECLARATION

/* ---- model.c ---- */

#define POINTS_NAME_BYTES 64

/* Checks that the values are finite, not too large or too small to compute with, and positive on
   logarithmic axes. */
int points_check_values(const struct model_points *p, const struct model_options *options,
                        struct err *e);

/* ---- delaunay_simplex: points in the unit ball ---- */

/* Lengths below this are rounding errors: the root of a double's precision. */
#define DELAUNAY_ROUNDING 1.5e-8

/* The points twice: as rows, and as columns of `stride` values, a multiple of DELAUNAY_BLOCK. The
   columns allow computing several points at once. */
#define DELAUNAY_BLOCK 64

struct delaunay_points {
    struct model_points rows;
    size_t stride;
    const double *column; /* [dimensions][stride]; zero after the last point */
};

struct simplex {
    size_t dimensions;
    size_t vertex[MODEL_MAX_DIMENSIONS + 1]; /* indices of the simplex's points */
    /* Inverse of the matrix whose columns are the edges from vertex[0]: row k - 1 is the gradient
       of weight k. */
    double inverse[MODEL_MAX_DIMENSIONS][MODEL_MAX_DIMENSIONS];
    double centre[MODEL_MAX_DIMENSIONS]; /* centre of the sphere through the vertices */
};

/* Builds a simplex of the Delaunay triangulation that starts at a point. Returns false if the
   points lie in a plane, relative to their extent. */
bool delaunay_first_simplex(const struct model_points *p, size_t start, struct simplex *s);

/* Computes the other members from `vertex`. Returns false if the simplex has no volume. */
bool delaunay_prepare(const struct model_points *p, struct simplex *s);

enum delaunay_place { DELAUNAY_FOUND, DELAUNAY_OUTSIDE, DELAUNAY_LOST };

/*
 * Walks from `s` to the simplex around `at`; weight[dimensions + 1] receives its barycentric
 * weights. DELAUNAY_OUTSIDE: a facet of `s` is on the hull, and the place lies beyond it.
 * DELAUNAY_LOST: rounding errors kept the walk from arriving.
 */
enum delaunay_place delaunay_walk(const struct delaunay_points *p, const double at[],
                                  struct simplex *s, double weight[]);

#endif
