/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gaussian process regression (Rasmussen, Williams, *Gaussian Processes for Machine Learning*
 * (2006), 2.2 and 5.4): values are a constant, plus a smooth function, plus independent noise. The
 * function's covariance is Matern's with nu = 5/2 and a length scale for each factor:
 *
 *     signal (1 + r + r^2 / 3) exp(-r),  r^2 = 5 sum ((x - x') / length)^2
 *
 * The noise may grow or shrink with the factors: its logarithm is linear in them, and stays what it
 * is at the border outside the ranges of the points.
 *
 * Pure; any thread; the same seed gives the same parameters. Points may be repeated: noise explains
 * how they differ. A factor that is the same everywhere is left out: its length is infinite.
 * Time: n^3 for each of some tens of steps of gaussian_fit, n^2 for a prediction. Memory: 3 n^2
 * doubles while it is fitted, n^2 then.
 */
#ifndef CUPEL_STAT_GAUSSIAN_GAUSSIAN_PROCESS_H
#define CUPEL_STAT_GAUSSIAN_GAUSSIAN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "stat/basic/watch.h"

#define GAUSSIAN_MAX_FACTORS 64

struct gaussian_parameters {
    double mean;
    double signal; /* variance of the function; > 0 */
    double noise;  /* variance of the noise in the middle of the ranges; >= 0 */
    double length[GAUSSIAN_MAX_FACTORS]; /* > 0, in the factor's unit; infinite: left out */
    /* Of the logarithm of the noise, by the factor; 0: it is the same everywhere. */
    double noise_slope[GAUSSIAN_MAX_FACTORS];
    double low[GAUSSIAN_MAX_FACTORS], high[GAUSSIAN_MAX_FACTORS]; /* ranges; only for noise_slope */
};

/* Points and their values. at[n][factors], row after row. */
struct gaussian_points {
    size_t n, factors;
    const double *at, *value;
};

struct gaussian_process {
    struct arena arena; /* all below */
    struct gaussian_parameters parameters;
    bool estimated; /* they were, and so the mean has an error of its own */
    /* How wrong it is about points that it was not fitted to: a new value lies around the answer as
     * Student's t with these degrees of freedom, times error_scale sqrt(variance + noise). Of given
     * parameters 1, and infinite: the normal distribution. */
    double error_scale, degrees;
    double jitter;         /* added to the diagonal, over the signal, where rounding asked for it */
    double log_likelihood; /* of the values */
    size_t n, factors;
    double *at;       /* [n][factors], in lengths */
    double *triangle; /* [n][stride]: Cholesky's, of the covariance over the signal */
    size_t stride;
    double *weight;      /* [n]: the inverse covariance times (value - mean), times the signal */
    double *unit_weight; /* [n]: the same of ones */
    double *noise;       /* [n]: variance over the signal */
};

struct gaussian_answer {
    double mean;
    double variance; /* of the function there */
    double noise;    /* variance that a new value has besides */
};

/*
 * With given parameters, or with those of the greatest likelihood, which is looked for from several
 * starts. Parameters that fit too well are found out by fits to four fifths of the points. n >= 1,
 * or >= 3 to fit, all finite. `watch` may be NULL. ERR_MACHINE: no memory; ERR_UNDECIDED: `watch`
 * stopped it. gaussian_free() gives `g` back, after success only.
 */
int gaussian_condition(struct gaussian_process *g, const struct gaussian_points *points,
                       const struct gaussian_parameters *parameters, struct err *e);
int gaussian_fit(struct gaussian_process *g, const struct gaussian_points *points, uint64_t seed,
                 const struct watch *watch, struct err *e);
void gaussian_free(struct gaussian_process *g);

/* room[n] is the caller's. */
struct gaussian_answer gaussian_at(const struct gaussian_process *g, const double at[],
                                   double room[]);

#endif
