/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the likelihood as a function of the lengths and of the noise over the signal. The mean
 * and the signal that maximise it follow in closed form.
 */
#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/gaussian/internal.h"

#define LOG_TWO_PI 1.8378770664093454836

static size_t stride_of(size_t n)
{
    return (n + 1) / 2 * 2;
}

size_t likelihood_bytes(size_t n, size_t factors)
{
    return 3 * arena_bytes(n * stride_of(n), sizeof(double)) +
           arena_bytes(n * factors, sizeof(double)) + 3 * arena_bytes(n, sizeof(double));
}

static struct square make_square(size_t n, struct arena *scratch)
{
    size_t stride = stride_of(n);
    return (struct square){n, stride, arena_alloc(scratch, n * stride, sizeof(double))};
}

int likelihood_make(struct likelihood *l, const struct gaussian_points *points,
                    struct arena *scratch)
{
    size_t n = points->n;
    *l = (struct likelihood){.points = *points,
                             .factor = make_square(n, scratch),
                             .inverse = make_square(n, scratch),
                             .weights = make_square(n, scratch),
                             .at = arena_alloc(scratch, n * points->factors, sizeof(double)),
                             .unit = arena_alloc(scratch, n, sizeof(double)),
                             .weight = arena_alloc(scratch, n, sizeof(double)),
                             .noise = arena_alloc(scratch, n, sizeof(double))};
    likelihood_slope_noise(l, false);
    return l->noise ? 0 : -1;
}

void likelihood_slope_noise(struct likelihood *l, bool slopes)
{
    l->parameters = (slopes ? 2 : 1) * l->points.factors + 1;
    l->tried[0] = NAN; /* NaN: nothing was evaluated yet */
}

/* Divides the points by the lengths, and computes the noise at each. */
static void scale_points(struct likelihood *l, const double parameters[])
{
    size_t factors = l->points.factors;
    const double *slope = parameters + factors + 1;
    for (size_t i = 0; i < l->points.n; i++) {
        const double *from = l->points.at + i * factors;
        double noise = parameters[factors];
        for (size_t f = 0; f < factors; f++) {
            l->at[i * factors + f] = from[f] / exp(parameters[f]);
            if (l->parameters > factors + 1)
                noise += slope[f] * from[f];
        }
        l->noise[i] = exp(noise);
    }
}

/* Estimates the mean by generalised least squares, then the signal. Returns the deviance. */
static double evaluate(struct likelihood *l, const double parameters[])
{
    size_t n = l->points.n;
    scale_points(l, parameters);
    covariance_matrix(&l->factor, l->at, l->points.factors, l->noise, 0);
    if (!square_factor(&l->factor))
        return INFINITY;
    for (size_t i = 0; i < n; i++)
        l->unit[i] = 1;
    memcpy(l->weight, l->points.value, n * sizeof *l->weight);
    triangle_solve(&l->factor, l->unit);
    triangle_solve(&l->factor, l->weight);
    l->mean = sum_of_products(l->unit, l->weight, n) / sum_of_products(l->unit, l->unit, n);
    for (size_t i = 0; i < n; i++)
        l->weight[i] -= l->mean * l->unit[i];
    l->signal = sum_of_products(l->weight, l->weight, n) / (double)n;
    triangle_solve_transposed(&l->factor, l->weight);
    double deviance =
        (double)n * (log(l->signal) + 1 + LOG_TWO_PI) + triangle_log_determinant(&l->factor);
    return isnan(deviance) ? INFINITY : deviance;
}

double likelihood_deviance(struct likelihood *l, const double parameters[])
{
    size_t bytes = l->parameters * sizeof *parameters;
    if (memcmp(l->tried, parameters, bytes) != 0) {
        memcpy(l->tried, parameters, bytes);
        l->deviance = evaluate(l, parameters);
    }
    return l->deviance;
}

struct gaussian_parameters likelihood_parameters(const struct likelihood *l)
{
    size_t factors = l->points.factors;
    struct gaussian_parameters p = {
        .mean = l->mean, .signal = l->signal, .noise = l->signal * exp(l->tried[factors])};
    for (size_t f = 0; f < factors; f++) {
        p.length[f] = exp(l->tried[f]);
        p.noise_slope[f] = l->parameters > factors + 1 ? l->tried[factors + 1 + f] : 0;
        p.low[f] = -0.5;
        p.high[f] = 0.5;
    }
    return p;
}

/* Computes sum (inverse - weight weight' / signal) dK, equation 5.9 of Rasmussen and Williams, with
   the best signal. */
void likelihood_gradient(struct likelihood *l, const double parameters[], double gradient[])
{
    size_t n = l->points.n, factors = l->points.factors;
    memset(gradient, 0, l->parameters * sizeof *gradient);
    if (isinf(likelihood_deviance(l, parameters)))
        return;
    square_invert_triangle(&l->factor, &l->inverse);
    square_times_transposed(&l->inverse, &l->weights);
    for (size_t i = 0; i < n; i++) {
        double *row = l->weights.cell + i * l->weights.stride, scale = l->weight[i] / l->signal;
        for (size_t j = 0; j <= i; j++)
            row[j] -= scale * l->weight[j];
        double noise = row[i] * l->noise[i];
        gradient[factors] += noise;
        for (size_t f = 0; factors + 1 + f < l->parameters; f++)
            gradient[factors + 1 + f] += noise * l->points.at[i * factors + f];
    }
    covariance_gradient(gradient, &l->weights, l->at, factors);
}
