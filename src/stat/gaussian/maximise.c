/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Climbs from a start to the nearest maximum of the likelihood, by GSL's BFGS minimiser. */
#include <gsl/gsl_multimin.h>
#include <math.h>

#include "stat/gaussian/internal.h"

/*
 * Bounds of the parameters, as logarithms. Factors have a range of 1: with a length of 1000 a
 * factor has no effect, with .01 it acts like noise. Noise below 1e-8 of the signal is a rounding
 * error.
 */
struct bounds {
    double low, high;
};

static const struct bounds length_bounds = {-4.6, 6.9}, noise_bounds = {-18.4, 6.9},
                           slope_bounds = {-6, 6};

#define FIRST_STEP     0.3 /* first step, on the logistic scale */
#define LINE_PRECISION 0.1
#define ENOUGH_SLOPE   1e-3 /* slope of the deviance at which the climb ends */
/* gain in the deviance below which the climb ends; a gain of 4 would be significant */
#define ENOUGH_GAIN 0.01

static struct bounds bounds_of(const struct likelihood *l, size_t i)
{
    size_t factors = l->points.factors;
    return i < factors ? length_bounds : i == factors ? noise_bounds : slope_bounds;
}

/* Maps the unbounded axis on which the minimiser moves into the bounds, by a logistic curve,
   because the minimiser itself has no bounds. */
static double bounded(double place, struct bounds b)
{
    return b.low + (b.high - b.low) / (1 + exp(-place));
}

static double bounded_slope(double place, struct bounds b)
{
    double share = 1 / (1 + exp(-place));
    return (b.high - b.low) * share * (1 - share);
}

static double place_of(double parameter, struct bounds b)
{
    double share = fmin(fmax((parameter - b.low) / (b.high - b.low), 1e-3), 1 - 1e-3);
    return log(share / (1 - share));
}

static void read_parameters(const gsl_vector *x, double parameters[], const struct likelihood *l)
{
    for (size_t i = 0; i < l->parameters; i++)
        parameters[i] = bounded(gsl_vector_get(x, i), bounds_of(l, i));
}

static double value(const gsl_vector *x, void *data)
{
    struct likelihood *l = data;
    double parameters[LIKELIHOOD_MAX_PARAMETERS];
    read_parameters(x, parameters, l);
    return likelihood_deviance(l, parameters);
}

static void gradient(const gsl_vector *x, void *data, gsl_vector *out)
{
    struct likelihood *l = data;
    double parameters[LIKELIHOOD_MAX_PARAMETERS], slope[LIKELIHOOD_MAX_PARAMETERS];
    read_parameters(x, parameters, l);
    likelihood_gradient(l, parameters, slope);
    for (size_t i = 0; i < l->parameters; i++)
        gsl_vector_set(out, i, slope[i] * bounded_slope(gsl_vector_get(x, i), bounds_of(l, i)));
}

static void value_and_gradient(const gsl_vector *x, void *data, double *f, gsl_vector *out)
{
    gradient(x, data, out);
    *f = value(x, data);
}

/* Makes steps until they no longer gain anything. Returns the smallest deviance. */
static double iterate(gsl_multimin_fdfminimizer *minimiser, unsigned steps,
                      const struct watch *watch)
{
    double before = gsl_multimin_fdfminimizer_minimum(minimiser);
    for (unsigned step = 0; step < steps && !watch_stops(watch); step++) {
        if (gsl_multimin_fdfminimizer_iterate(minimiser) != GSL_SUCCESS)
            break;
        double now = gsl_multimin_fdfminimizer_minimum(minimiser);
        if (before - now < ENOUGH_GAIN ||
            gsl_multimin_test_gradient(minimiser->gradient, ENOUGH_SLOPE) == GSL_SUCCESS)
            break;
        before = now;
    }
    return gsl_multimin_fdfminimizer_minimum(minimiser);
}

double likelihood_climb(struct likelihood *l, double parameters[], unsigned steps)
{
    size_t count = l->parameters;
    gsl_multimin_function_fdf function = {value, gradient, value_and_gradient, count, l};
    gsl_vector *start = gsl_vector_alloc(count);
    gsl_multimin_fdfminimizer *minimiser =
        gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, count);
    double least = INFINITY;
    if (start && minimiser) {
        for (size_t i = 0; i < count; i++)
            gsl_vector_set(start, i, place_of(parameters[i], bounds_of(l, i)));
        gsl_multimin_fdfminimizer_set(minimiser, &function, start, FIRST_STEP, LINE_PRECISION);
        least = iterate(minimiser, steps, l->watch);
        read_parameters(gsl_multimin_fdfminimizer_x(minimiser), parameters, l);
    }
    if (minimiser)
        gsl_multimin_fdfminimizer_free(minimiser);
    gsl_vector_free(start);
    return least;
}
