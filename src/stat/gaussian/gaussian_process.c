/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions a process on the points, and predicts. */
#include "stat/gaussian/gaussian_process.h"

#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/gaussian/internal.h"

#define LOG_TWO_PI   1.8378770664093454836
#define JITTER_FIRST 1e-14
#define JITTER_LAST  1.0

static struct square triangle_of(const struct gaussian_process *g)
{
    return (struct square){g->n, g->stride, g->triangle};
}

static int make_memory(struct gaussian_process *g, struct err *e)
{
    size_t n = g->n;
    g->stride = (n + 1) / 2 * 2;
    size_t bytes = arena_bytes(n * g->factors, sizeof(double)) +
                   arena_bytes(n * g->stride, sizeof(double)) + 3 * arena_bytes(n, sizeof(double));
    if (arena_init_untouched(&g->arena, bytes, e) != 0)
        return -1;
    g->at = arena_alloc(&g->arena, n * g->factors, sizeof(double));
    g->triangle = arena_alloc(&g->arena, n * g->stride, sizeof(double));
    g->weight = arena_alloc(&g->arena, n, sizeof(double));
    g->unit_weight = arena_alloc(&g->arena, n, sizeof(double));
    g->noise = arena_alloc(&g->arena, n, sizeof(double));
    return 0;
}

/* Returns the variance of the noise at a place. */
static double noise_at(const struct gaussian_process *g, const double at[])
{
    const struct gaussian_parameters *p = &g->parameters;
    double exponent = 0;
    for (size_t f = 0; f < g->factors; f++) {
        double inside = fmin(fmax(at[f], p->low[f]), p->high[f]);
        if (p->noise_slope[f] != 0)
            exponent += p->noise_slope[f] * (inside - (p->low[f] + p->high[f]) / 2);
    }
    return p->noise * exp(exponent);
}

/* Computes the Cholesky factor of the covariance. Adds a little noise where rounding requires it,
   as for repeated points without noise. */
static int factor_covariance(struct gaussian_process *g, struct err *e)
{
    struct square triangle = triangle_of(g);
    covariance_matrix(&triangle, g->at, g->factors, g->noise, 0);
    while (!square_factor(&triangle)) {
        g->jitter = g->jitter > 0 ? 10 * g->jitter : JITTER_FIRST;
        if (g->jitter > JITTER_LAST)
            return err_set(e, ERR_USAGE, "the covariance of %zu points cannot be inverted", g->n);
        covariance_matrix(&triangle, g->at, g->factors, g->noise, g->jitter);
    }
    return 0;
}

int gaussian_condition(struct gaussian_process *g, const struct gaussian_points *points,
                       const struct gaussian_parameters *parameters, struct err *e)
{
    size_t n = points->n, factors = points->factors;
    *g = (struct gaussian_process){.parameters = *parameters,
                                   .error_scale = 1,
                                   .degrees = INFINITY,
                                   .n = n,
                                   .factors = factors};
    if (make_memory(g, e) != 0)
        return -1;
    for (size_t i = 0; i < n * factors; i++)
        g->at[i] = points->at[i] / parameters->length[i % factors];
    for (size_t i = 0; i < n; i++)
        g->noise[i] = noise_at(g, points->at + i * factors) / parameters->signal;
    if (factor_covariance(g, e) != 0) {
        gaussian_free(g);
        return -1;
    }
    struct square triangle = triangle_of(g);
    for (size_t i = 0; i < n; i++) {
        g->weight[i] = points->value[i] - parameters->mean;
        g->unit_weight[i] = 1;
    }
    triangle_solve(&triangle, g->weight);
    triangle_solve(&triangle, g->unit_weight);
    g->log_likelihood = -(sum_of_products(g->weight, g->weight, n) / parameters->signal +
                          triangle_log_determinant(&triangle) +
                          (double)n * (log(parameters->signal) + LOG_TWO_PI)) /
                        2;
    triangle_solve_transposed(&triangle, g->weight);
    triangle_solve_transposed(&triangle, g->unit_weight);
    return 0;
}

void gaussian_free(struct gaussian_process *g)
{
    arena_free(&g->arena);
}

/* Computes the covariances between a place and the points, divided by the signal. */
static void covariances_with(const struct gaussian_process *g, const double at[], double out[])
{
    double place[GAUSSIAN_MAX_FACTORS];
    for (size_t f = 0; f < g->factors; f++)
        place[f] = at[f] / g->parameters.length[f];
    for (size_t i = 0; i < g->n; i++)
        out[i] = covariance(g->at + i * g->factors, place, g->factors);
}

static double sum_of(const double x[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Uses equations 2.25 and 2.26 of Rasmussen and Williams. An estimated mean adds its own error,
   equation 2.42. */
struct gaussian_answer gaussian_at(const struct gaussian_process *g, const double at[],
                                   double room[])
{
    struct square triangle = triangle_of(g);
    covariances_with(g, at, room);
    double mean = g->parameters.mean + sum_of_products(room, g->weight, g->n);
    double unexplained = 1 - sum_of_products(room, g->unit_weight, g->n);
    double units = sum_of(g->unit_weight, g->n);
    triangle_solve(&triangle, room);
    double share = fmax(0, 1 - sum_of_products(room, room, g->n));
    if (g->estimated && units > 0)
        share += unexplained * unexplained / units;
    return (struct gaussian_answer){mean, g->parameters.signal * share, noise_at(g, at)};
}
