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

/* Computes Cholesky's L of a symmetric matrix in place: reads and writes its lower triangle.
   Returns false if the matrix is not positive definite, within rounding. */
bool square_factor(struct square *m);

/* Computes the transposed inverse of L: upper triangular, with zeros below. */
void square_invert_triangle(const struct square *l, struct square *out);

/* Computes the lower triangle of v v'. When v is the transposed inverse of L, this is the inverse
   of L L'. */
void square_times_transposed(const struct square *v, struct square *out);

/* Solves L y = x, or L' y = x, in place: x becomes y. */
void triangle_solve(const struct square *l, double x[]);
void triangle_solve_transposed(const struct square *l, double x[]);

double triangle_log_determinant(const struct square *l); /* Returns ln(det(L L')). */

/* ---- covariance: points in units of the lengths, at[n][factors], signal 1 ---- */

double covariance(const double a[], const double b[], size_t factors);

/* Fills the lower triangle, and adds noise[n] + `more` to the diagonal. */
void covariance_matrix(struct square *out, const double at[], size_t factors, const double noise[],
                       double more);

/*
 * Sets gradient[f] to the sum over all i, j of weight(i, j) times the derivative of the covariance
 * of points i and j by the logarithm of length f. Reads the lower triangle of `weight`.
 */
void covariance_gradient(double gradient[], const struct square *weight, const double at[],
                         size_t factors);

/* ---- likelihood: as a function of the lengths and of the noise over the signal ---- */

/* The parameters are the logarithms of the lengths and of the noise over the signal, and the slopes
   of the noise. */
#define LIKELIHOOD_MAX_PARAMETERS (2 * GAUSSIAN_MAX_FACTORS + 1)

struct likelihood {
    struct gaussian_points points; /* factors scaled to -1/2 .. 1/2, standardised values */
    /* number of parameters: factors + 1; with slopes of the noise 2 factors + 1 */
    size_t parameters;
    /* the observer, or NULL; when it wants to stop, a climb ends at its present parameters */
    const struct watch *watch;
    struct square factor, inverse, weights;
    double *at;                    /* [n][factors], in units of the lengths */
    double *unit, *weight, *noise; /* [n] */
    /* The parameters evaluated last, and their results. */
    double tried[LIKELIHOOD_MAX_PARAMETERS];
    double mean, signal;
    double deviance; /* minus twice the log likelihood; infinite where it cannot be computed */
};

size_t likelihood_bytes(size_t n, size_t factors);
int likelihood_make(struct likelihood *l, const struct gaussian_points *points,
                    struct arena *scratch);

/* Switches the slopes of the noise on or off. */
void likelihood_slope_noise(struct likelihood *l, bool slopes);

double likelihood_deviance(struct likelihood *l, const double parameters[]);
/* Computes the derivatives by the parameters. Evaluates the likelihood first, unless the last
   evaluation was for these parameters. */
void likelihood_gradient(struct likelihood *l, const double parameters[], double gradient[]);

/* Returns the parameters evaluated last in the form that a process uses, in the units of `l`. */
struct gaussian_parameters likelihood_parameters(const struct likelihood *l);

/* ---- maximise ---- */

/* Climbs from `parameters` to the nearest maximum within the bounds, in place. Returns its
   deviance. */
double likelihood_climb(struct likelihood *l, double parameters[], unsigned steps);

#endif
