/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Autoregressive model of a series, x[t] = sum a[i] x[t-1-i] + noise, fitted by Burg's method (J.
 * P. Burg, 1968). Akaike's criterion chooses its order, as in R's ar.burg. The model gives the
 * spectral density at frequency zero, which is n times the variance of the mean.
 */
#ifndef CUPEL_STAT_ESTIMATE_AUTOREGRESSION_H
#define CUPEL_STAT_ESTIMATE_AUTOREGRESSION_H

#include <stddef.h>

#include "base/arena.h"

#define AUTOREGRESSION_MAX_ORDER 20

struct autoregression {
    /* number of readings that the model was fitted to */
    size_t n;
    size_t order;                                 /* 0: no term improves the model */
    double coefficient[AUTOREGRESSION_MAX_ORDER]; /* a[0..order) */
    double variance;    /* variance of the noise, corrected for the order + 1 fitted parameters */
    double persistence; /* sum of the coefficients; below 1 */
};

size_t autoregression_scratch_bytes(size_t n);

/*
 * Fits a model to x[0..n) about `mean`, trying the orders 0..max_order (at most
 * AUTOREGRESSION_MAX_ORDER and n - 2). For a constant series, and for n < 2, the order is 0.
 */
struct autoregression autoregression_fit(const double x[], size_t n, double mean, size_t max_order,
                                         struct arena *scratch);

/* Returns variance / (1 - persistence)^2, the spectral density at frequency zero, in a scale in
   which it is the variance if readings are independent. */
double autoregression_density_at_zero(const struct autoregression *a);

#endif
