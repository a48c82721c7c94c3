/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gaussian process regression (Rasmussen, Williams, *Gaussian Processes for Machine Learning*
 * (2006), 2.2 and 5.4): values are a constant, plus a smooth function, plus independent noise.
 * The function's covariance is Matern's with nu = 5/2 and a length scale for each factor:
 *
 *     signal (1 + r + r^2 / 3) exp(-r),  r^2 = 5 sum ((x - x') / length)^2
 *
 * The noise may grow or shrink with the factors: its logarithm is linear in them; outside the
 * ranges of the points the noise has its value at the border.
 *
 * Pure; any thread; the same seed gives the same parameters. Points may be repeated: noise
 * explains their differences. A constant factor is left out: its length is infinite. Time: n^3
 * for each of some tens of steps of gaussian_fit, n^2 for a prediction. Memory: 3 n^2 doubles
 * during the fit, n^2 afterwards.
 */
#ifndef CUPEL_STAT_GAUSSIAN_GAUSSIAN_PROCESS_H
#define CUPEL_STAT_GAUSSIAN_GAUSSIAN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "stat/basic/progress_observer.h"

#define GAUSSIAN_MAX_FACTORS 64

struct gaussian_parameters {
    double mean;
    double signal; /* variance of the function; > 0 */
    double noise;  /* variance of the noise in the middle of the ranges; >= 0 */
    /* length scale in the factor's unit, > 0; infinite: the factor is left out */
    double length[GAUSSIAN_MAX_FACTORS];
    /* Slope of the logarithm of the noise, per factor; 0: the noise does not depend on it. */
    double noise_slope[GAUSSIAN_MAX_FACTORS];
    /* ranges of the factors; used with noise_slope only */
    double low[GAUSSIAN_MAX_FACTORS], high[GAUSSIAN_MAX_FACTORS];
};

/* Points and their values: at[n][factors] row by row, value[n]. */
struct gaussian_points {
    size_t n, factors;
    const double *at, *value;
};

struct gaussian_process {
    struct arena arena; /* owns the memory of all members below */
    struct gaussian_parameters parameters;
    bool estimated; /* the parameters were estimated, so the estimated mean adds an error */
    /* Error of the process at points that it was not fitted to: a new value lies around the answer
       as Student's t with these degrees of freedom, times error_scale sqrt(variance + noise). For
       given parameters error_scale is 1 and degrees infinite: the normal distribution. */
    double error_scale, degrees;
    /* added to the diagonal where rounding requires it, as a share of the signal */
    double jitter;
    double log_likelihood; /* log-likelihood of the values */
    size_t n, factors;
    double *at;       /* [n][factors], in units of the lengths */
    double *triangle; /* [n][stride]: Cholesky factor of the covariance divided by the signal */
    size_t stride;
    double *weight;      /* [n]: the inverse covariance times (value - mean), times the signal */
    double *unit_weight; /* [n]: the inverse covariance times ones, times the signal */
    double *noise;       /* [n]: variance of each point's noise divided by the signal */
};

struct gaussian_answer {
    double mean;
    double variance; /* variance of the function at this place */
    double noise;    /* variance that noise adds to a new value at this place */
};

/*
 * gaussian_condition uses the given parameters; gaussian_fit searches for the parameters of maximum
 * likelihood from several starts, and fits to four fifths of the points to detect parameters that
 * fit too well. gaussian_condition needs n >= 1, gaussian_fit n >= 3; all values must be finite.
 * `watch` may be NULL. Errors: ERR_MACHINE: no memory; ERR_UNDECIDED: `watch` stopped it. After
 * success the caller releases `g` with gaussian_free().
 */
int gaussian_condition(struct gaussian_process *g, const struct gaussian_points *points,
                       const struct gaussian_parameters *parameters, struct err *e);
int gaussian_fit(struct gaussian_process *g, const struct gaussian_points *points, uint64_t seed,
                 const struct watch *watch, struct err *e);
void gaussian_free(struct gaussian_process *g);

/* Predicts at a place. `room` is scratch of the caller, [n]. */
struct gaussian_answer gaussian_at(const struct gaussian_process *g, const double at[],
                                   double room[]);

#endif
