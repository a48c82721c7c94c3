/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how wrong the process is about points that it was not fitted to. The likelihood covers
 * only the points of the fit, and a few points leave much room for parameters that suit them too
 * well. So the parameters are estimated again without a fifth of the points, which are then
 * predicted. A Student distribution is fitted to their deviations, in standard errors.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stat/basic/distribution.h"
#include "stat/gaussian/internal.h"

#define FOLDS      5
#define FOLD_STEPS 6
#define FEWEST     10 /* points; fewer show nothing */
#define EM_STEPS   100
#define FARTHEST   1e6

/* Copies the points of all folds but one, or of that one. */
static struct gaussian_points take_points(const struct gaussian_points *all, size_t fold,
                                          bool inside, double *at, double *value)
{
    size_t count = 0, factors = all->factors;
    for (size_t i = 0; i < all->n; i++) {
        if ((i % FOLDS == fold) != inside)
            continue;
        memcpy(at + count * factors, all->at + i * factors, factors * sizeof *at);
        value[count++] = all->value[i];
    }
    return (struct gaussian_points){count, factors, at, value};
}

/* Computes the deviations of the fold's points from the prediction of the others, in standard
   errors. */
static int predict_fold(const struct gaussian_points *train, const struct gaussian_points *test,
                        const struct likelihood *l, double out[], struct err *e)
{
    struct gaussian_process g;
    struct gaussian_parameters p = likelihood_parameters(l);
    if (gaussian_condition(&g, train, &p, e) != 0)
        return -1;
    g.estimated = true;
    for (size_t i = 0; i < test->n; i++) {
        struct gaussian_answer a = gaussian_at(&g, test->at + i * test->factors, l->unit);
        double z = (test->value[i] - a.mean) / sqrt(fmax(a.variance + a.noise, DBL_MIN));
        out[i] = fmax(-FARTHEST, fmin(z, FARTHEST));
    }
    gaussian_free(&g);
    return 0;
}

static double log_density(const double z[], size_t n, double scale, double degrees)
{
    double sum = (double)n * (log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) -
                              log(degrees * 3.14159265358979324) / 2 - log(scale));
    for (size_t i = 0; i < n; i++)
        sum -= (degrees + 1) / 2 * log1p(z[i] * z[i] / (scale * scale * degrees));
    return sum;
}

/* Returns the scale with the greatest likelihood, by expectation and maximisation. */
static double scale_of(const double z[], size_t n, double degrees)
{
    double squared = 1;
    for (unsigned step = 0; step < EM_STEPS; step++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (degrees + 1) / (degrees + z[i] * z[i] / squared) * z[i] * z[i];
        squared = fmax(sum / (double)n, 1e-12);
    }
    return sqrt(squared);
}

static void fit_student(const double z[], size_t n, double *scale, double *degrees)
{
    static const double tried[] = {3, 4, 5, 6, 8, 10, 15, 20, 30, 60};
    double best = -INFINITY;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        double s = scale_of(z, n, tried[i]), found = log_density(z, n, s, tried[i]);
        if (found > best) {
            best = found;
            *scale = s;
            *degrees = tried[i];
        }
    }
}

/*
 * Estimates the parameters without one fold, and their errors on it. Returns the number of the
 * fold's points, 0 when rounding leaves no answer.
 */
static int cross_validate(const struct likelihood *whole, size_t fold, struct arena *scratch,
                          double out[], struct err *e)
{
    const struct gaussian_points *all = &whole->points;
    struct likelihood l;
    double parameters[LIKELIHOOD_MAX_PARAMETERS];
    double *at = arena_alloc(scratch, all->n * all->factors, sizeof *at);
    double *value = arena_alloc(scratch, all->n, sizeof *value);
    struct gaussian_points train = take_points(all, fold, false, at, value);
    struct gaussian_points test =
        take_points(all, fold, true, at + train.n * train.factors, value + train.n);
    if (likelihood_make(&l, &train, scratch) != 0)
        return err_no_memory(e, "%zu points", train.n);
    l.watch = whole->watch;
    likelihood_slope_noise(&l, whole->parameters > all->factors + 1);
    memcpy(parameters, whole->tried, whole->parameters * sizeof *parameters);
    likelihood_climb(&l, parameters, FOLD_STEPS);
    if (isinf(likelihood_deviance(&l, parameters)))
        return 0;
    return predict_fold(&train, &test, &l, out, e) != 0 ? -1 : (int)test.n;
}

int gaussian_calibrate(double *scale, double *degrees, const struct likelihood *whole,
                       struct err *e)
{
    struct arena scratch;
    size_t n = whole->points.n, factors = whole->points.factors, count = 0;
    *scale = 1;
    *degrees = INFINITY;
    if (n < FEWEST)
        return 0;
    if (arena_init_untouched(&scratch,
                             likelihood_bytes(n, factors) +
                                 arena_bytes(n * factors, sizeof(double)) +
                                 2 * arena_bytes(n, sizeof(double)),
                             e) != 0)
        return -1;
    double *z = arena_alloc(&scratch, n, sizeof *z);
    size_t mark = arena_mark(&scratch);
    int result = 0;
    for (size_t fold = 0; fold < FOLDS && result >= 0; fold++) {
        if (watch_stops(whole->watch)) {
            result = err_set(e, ERR_UNDECIDED, "stopped by a signal");
            break;
        }
        result = cross_validate(whole, fold, &scratch, z + count, e);
        count += result > 0 ? (size_t)result : 0;
        arena_reset(&scratch, mark);
    }
    if (result >= 0 && count > 0)
        fit_student(z, count, scale, degrees);
    arena_free(&scratch);
    return result >= 0 ? 0 : -1;
}
