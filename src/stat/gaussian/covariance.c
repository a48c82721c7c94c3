/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matern's covariance with nu = 5/2. */
#include <math.h>

#include "stat/gaussian/internal.h"

static double squared_distance(const double a[], const double b[], size_t factors)
{
    double sum = 0;
    for (size_t f = 0; f < factors; f++)
        sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
}

double covariance(const double a[], const double b[], size_t factors)
{
    double squared = 5 * squared_distance(a, b, factors), r = sqrt(squared);
    double value = (1 + r + squared / 3) * exp(-r);
    /* places infinitely far apart, for which the formula gives NaN, have a covariance of 0 */
    return value > 0 ? value : 0;
}

void covariance_matrix(struct square *out, const double at[], size_t factors, const double noise[],
                       double more)
{
    for (size_t i = 0; i < out->n; i++) {
        double *row = out->cell + i * out->stride;
        for (size_t j = 0; j < i; j++)
            row[j] = covariance(at + i * factors, at + j * factors, factors);
        row[i] = 1 + noise[i] + more;
    }
}

/* The derivative of the covariance by the logarithm of length f is 5 / 3 (1 + r) exp(-r) times the
   squared distance along factor f. */
void covariance_gradient(double gradient[], const struct square *weight, const double at[],
                         size_t factors)
{
    for (size_t f = 0; f < factors; f++)
        gradient[f] = 0;
    for (size_t i = 0; i < weight->n; i++) {
        const double *a = at + i * factors;
        for (size_t j = 0; j < i; j++) {
            const double *b = at + j * factors;
            double r = sqrt(5 * squared_distance(a, b, factors));
            double slope = 2 * weight->cell[i * weight->stride + j] * 5 / 3 * (1 + r) * exp(-r);
            for (size_t f = 0; f < factors; f++)
                gradient[f] += slope * (a[f] - b[f]) * (a[f] - b[f]);
        }
    }
}
