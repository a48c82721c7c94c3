/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/gaussian. */
#ifndef CUPEL_STAT_GAUSSIAN_INTERNAL_H
#define CUPEL_STAT_GAUSSIAN_INTERNAL_H

#include "stat/gaussian/gaussian_process.h"

/* ---- triangle: square matrices row after row, [n][stride] ---- */

struct square {
    size_t n, stride;
    double *cell;
};

/* Computes Cholesky's L of a symmetric matrix, in place: its lower triangle is read and written.
 * False: the matrix is not positive definite, within rounding. */
bool square_factor(struct square *m);

/* Computes the transposed inverse of L: upper triangular, the rest is zero. */
void square_invert_triangle(const struct square *l, struct square *out);

/* Computes the lower triangle of v v'. When v is the transposed inverse of L, this is the inverse
   of L L'. */
void square_times_transposed(const struct square *v, struct square *out);

/* Solves L y = x, or L' y = x, in place: x becomes y. */
void triangle_solve(const struct square *l, double x[]);
void triangle_solve_transposed(const struct square *l, double x[]);

double triangle_log_determinant(const struct square *l); /* Returns the logarithm of the determinant
                                                            of L L'. */

/* ---- covariance: points in lengths, at[n][factors], signal 1 ---- */

double covariance(const double a[], const double b[], size_t factors);

/* Fills the lower triangle; noise[n] + `more` is added to the diagonal. */
void covariance_matrix(struct square *out, const double at[], size_t factors, const double noise[],
                       double more);

/*
 * gradient[f] = sum over all i, j of weight(i, j) times the derivative of the covariance of points
 * i and j by the logarithm of length f. The lower triangle of `weight` is read.
 */
void covariance_gradient(double gradient[], const struct square *weight, const double at[],
                         size_t factors);

/* ---- likelihood: as a function of the lengths and of the noise over the signal ---- */

/* Parameters: the logarithms of the lengths and of the noise over the signal, and the slopes of the
   noise. */
#define LIKELIHOOD_MAX_PARAMETERS (2 * GAUSSIAN_MAX_FACTORS + 1)

struct likelihood {
    struct gaussian_points points; /* factors from -1/2 to 1/2, standardised values */
    size_t parameters;             /* factors + 1; with slopes 2 factors + 1 */
    const struct watch *watch;     /* or NULL; when it stops, climbs end at their present place */
    struct square factor, inverse, weights;
    double *at;                    /* [n][factors], in lengths */
    double *unit, *weight, *noise; /* [n] */
    /* results for the parameters tried last: */
    double tried[LIKELIHOOD_MAX_PARAMETERS];
    double mean, signal;
    double deviance; /* minus twice the log likelihood; infinite where that cannot be computed */
};

size_t likelihood_bytes(size_t n, size_t factors);
int likelihood_make(struct likelihood *l, const struct gaussian_points *points,
                    struct arena *scratch);

/* Switches the slopes of the noise on or off. */
void likelihood_slope_noise(struct likelihood *l, bool slopes);

double likelihood_deviance(struct likelihood *l, const double parameters[]);
/* Computes the derivatives by the parameters; evaluates the likelihood first unless these
   parameters were tried last. */
void likelihood_gradient(struct likelihood *l, const double parameters[], double gradient[]);

/* Returns the parameters tried last as those of a process, in the units of `l`. */
struct gaussian_parameters likelihood_parameters(const struct likelihood *l);

/* ---- maximise ---- */

/* Climbs from `parameters` to the best ones within the bounds, in place. Returns their deviance. */
double likelihood_climb(struct likelihood *l, double parameters[], unsigned steps);

#endif
