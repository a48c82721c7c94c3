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

/* Checks the measured values: finite, not too large or small to compute with, positive on
   logarithmic axes. */
int points_check_values(const struct model_points *p, const struct model_options *options,
                        struct err *e);

/* ---- delaunay_simplex: points in the unit ball ---- */

/* Smaller lengths in the unit ball are rounding: the root of a double's precision. */
#define DELAUNAY_ROUNDING 1.5e-8

/* The points twice, as rows and as columns of `stride` values, a multiple of DELAUNAY_BLOCK: the
 * columns allow computing several points at once. */
#define DELAUNAY_BLOCK 64

struct delaunay_points {
    struct model_points rows;
    size_t stride;
    const double *column; /* [dimensions][stride]; zero after point n - 1 */
};

struct simplex {
    size_t dimensions;
    size_t vertex[MODEL_MAX_DIMENSIONS + 1]; /* numbers of its points */
    /* Inverse of the matrix whose columns are the edges from vertex[0]: row k - 1 is the slope of
       weight k. */
    double inverse[MODEL_MAX_DIMENSIONS][MODEL_MAX_DIMENSIONS];
    double centre[MODEL_MAX_DIMENSIONS]; /* centre of the sphere through it */
};

/* Grows a simplex of the Delaunay triangulation from a point. False: relative to their extent, the
 * points lie in a plane. */
bool delaunay_first_simplex(const struct model_points *p, size_t start, struct simplex *s);

/* Computes the other members from `vertex`. False: the simplex has no volume. */
bool delaunay_prepare(const struct model_points *p, struct simplex *s);

enum delaunay_place { DELAUNAY_FOUND, DELAUNAY_OUTSIDE, DELAUNAY_LOST };

/*
 * Walks from `s` to the simplex around `at`; weight[dimensions + 1] are barycentric. Outside: `s`
 * has a facet on the hull, and the place lies beyond it. Lost: rounding led the walk astray.
 */
enum delaunay_place delaunay_walk(const struct delaunay_points *p, const double at[],
                                  struct simplex *s, double weight[]);

#endif
