/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the parameters of maximum likelihood. The likelihood has several maxima, so the search
 * climbs from several random starts with only some of the points, and continues the best climb with
 * all points.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "stat/basic/distribution.h"
#include "stat/gaussian/internal.h"

#define ROUNDING     1e-14 /* share of the mean; a smaller spread counts as zero */
#define STARTS       5
#define START_POINTS 160
#define START_STEPS  40
#define FULL_POINTS  1000
#define FULL_STEPS   40

/* Ranges of the random starts, as logarithms, for factors of range 1 and values of variance 1. */
#define LENGTH_FROM (-1.6)
#define LENGTH_TO   1.6
#define NOISE_FROM  (-7.0)
#define NOISE_TO    0.0

/* The points in units that make factors comparable, and the numbers that convert them back. */
struct scaled {
    struct gaussian_points points; /* only factors that vary; the points are in random order */
    double *at, *value;
    size_t factor[GAUSSIAN_MAX_FACTORS]; /* indices of the factors that vary, among all factors */
    double low[GAUSSIAN_MAX_FACTORS], high[GAUSSIAN_MAX_FACTORS];
    double mean, spread; /* mean and standard deviation of the values */
};

static void find_factors(struct scaled *s, const struct gaussian_points *p)
{
    s->points.factors = 0;
    for (size_t f = 0; f < p->factors; f++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < p->n; i++) {
            low = fmin(low, p->at[i * p->factors + f]);
            high = fmax(high, p->at[i * p->factors + f]);
        }
        s->low[f] = low;
        s->high[f] = high;
        if (high > low)
            s->factor[s->points.factors++] = f;
    }
}

static void find_spread(struct scaled *s, const struct gaussian_points *p)
{
    double first = p->value[0], sum = 0, squares = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += (p->value[i] - first) / (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        squares += (p->value[i] - first - sum) * (p->value[i] - first - sum) / (double)p->n;
    s->mean = first + sum;
    s->spread = sqrt(squares) > ROUNDING * fabs(s->mean) ? sqrt(squares) : 0;
}

/* Maps the value x of a factor to the scale from -1/2 to 1/2. */
static double centred(const struct scaled *s, size_t factor, double x)
{
    return (x - s->low[factor]) / (s->high[factor] - s->low[factor]) - 0.5;
}

/* Copies the points in random order, so that the first ones are a sample of all. */
static void copy_in_random_order(struct scaled *s, const struct gaussian_points *p,
                                 struct random *random, size_t order[])
{
    size_t factors = s->points.factors;
    for (size_t i = 0; i < p->n; i++) {
        size_t other = (size_t)random_below(random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < p->n; i++) {
        const double *from = p->at + order[i] * p->factors;
        for (size_t k = 0; k < factors; k++)
            s->at[i * factors + k] = centred(s, s->factor[k], from[s->factor[k]]);
        s->value[i] = (p->value[order[i]] - s->mean) / s->spread;
    }
    s->points.n = p->n;
    s->points.at = s->at;
    s->points.value = s->value;
}

static void choose_start(double parameters[], size_t factors, unsigned start, struct random *random)
{
    for (size_t f = 0; f < factors; f++)
        parameters[f] =
            start == 0 ? 0 : LENGTH_FROM + (LENGTH_TO - LENGTH_FROM) * random_unit(random);
    parameters[factors] =
        start == 0 ? -3 : NOISE_FROM + (NOISE_TO - NOISE_FROM) * random_unit(random);
}

static void climb_from_starts(struct likelihood *l, double best[], struct random *random)
{
    size_t factors = l->points.factors;
    double least = INFINITY, parameters[LIKELIHOOD_MAX_PARAMETERS];
    for (unsigned start = 0; start < STARTS && !watch_stops(l->watch); start++) {
        choose_start(parameters, factors, start, random);
        double found = likelihood_climb(l, parameters, START_STEPS);
        if (start == 0 || found < least) {
            least = found;
            memcpy(best, parameters, (factors + 1) * sizeof *best);
        }
    }
}

/*
 * Tries noise that depends on the factors, and keeps it if it improves the fit enough for its
 * parameters (Akaike's criterion). Leaves `l` at the best parameters.
 */
static void climb_with_slopes(struct likelihood *l, double parameters[])
{
    size_t factors = l->points.factors;
    double plain = likelihood_deviance(l, parameters), sloped[LIKELIHOOD_MAX_PARAMETERS] = {0};
    memcpy(sloped, parameters, (factors + 1) * sizeof *sloped);
    likelihood_slope_noise(l, true);
    if (likelihood_climb(l, sloped, FULL_STEPS) + 2 * (double)factors < plain) {
        likelihood_deviance(l, sloped);
    } else {
        likelihood_slope_noise(l, false);
        likelihood_deviance(l, parameters);
    }
}

/* The parameters found, in scaled units. */
struct found {
    struct gaussian_parameters parameters;
    double error_scale, degrees;
};

/* ---- calibration ---- */

/*
 * Measures how wrong the process is about points that it was not fitted to. The likelihood covers
 * only the points of the fit, and with few points many parameters fit too well. So the parameters
 * are estimated again without a fifth of the points, which are then predicted. A Student
 * distribution is fitted to the deviations, in standard errors.
 */

#define FOLDS      5
#define FOLD_STEPS 6
#define FEWEST     10 /* minimum number of points; fewer do not show how wrong the process is */
#define EM_STEPS   100
#define FARTHEST   1e6

/* Copies the points of one fold (`inside`), or those of all other folds. */
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

/* Computes the deviations of the fold's points from their predictions by the other points, in
   standard errors. */
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

/* Returns the scale of the t-distribution with these degrees of freedom that has maximum likelihood
   for z, by expectation maximisation. */
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
 * Estimates the parameters without one fold, and computes the errors on that fold. Returns the
 * number of the fold's points; 0 when rounding makes that impossible.
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

/*
 * Fits to four fifths of the points in turn, starting at the best parameters of `whole`, and
 * compares the remaining fifth with its predictions. ERR_MACHINE: no memory; ERR_UNDECIDED: the
 * watch stopped it.
 */
static int gaussian_calibrate(double *scale, double *degrees, const struct likelihood *whole,
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

/* Climbs on the first START_POINTS points, then on all, or on FULL_POINTS points to limit the time.
 */
static int maximise(const struct scaled *s, struct random *random, const struct watch *watch,
                    struct found *out, struct err *e)
{
    struct arena scratch;
    struct likelihood l;
    struct gaussian_points some = s->points, all = s->points;
    double parameters[LIKELIHOOD_MAX_PARAMETERS] = {0};
    some.n = some.n < START_POINTS ? some.n : START_POINTS;
    all.n = all.n < FULL_POINTS ? all.n : FULL_POINTS;
    if (arena_init_untouched(
            &scratch, likelihood_bytes(some.n, some.factors) + likelihood_bytes(all.n, all.factors),
            e) != 0)
        return -1;
    if (likelihood_make(&l, &some, &scratch) == 0) {
        l.watch = watch;
        climb_from_starts(&l, parameters, random);
    }
    int result = likelihood_make(&l, &all, &scratch);
    if (result != 0) {
        err_no_memory(e, "%zu points", all.n);
    } else if (watch_stops(watch)) {
        result = err_set(e, ERR_UNDECIDED, "stopped by a signal");
    } else {
        l.watch = watch;
        if (all.n > some.n)
            likelihood_climb(&l, parameters, FULL_STEPS);
        climb_with_slopes(&l, parameters);
        out->parameters = likelihood_parameters(&l);
        result = isinf(l.deviance)
                     ? err_set(e, ERR_USAGE, "the likelihood of %zu points has no maximum", all.n)
                     : gaussian_calibrate(&out->error_scale, &out->degrees, &l, e);
    }
    arena_free(&scratch);
    return result;
}

/* Returns parameters that leave all factors out, in the units of the points. */
static struct gaussian_parameters no_parameters(const struct scaled *s, size_t factors)
{
    struct gaussian_parameters p = {.mean = s->mean};
    for (size_t f = 0; f < factors; f++) {
        p.length[f] = INFINITY;
        p.low[f] = s->low[f];
        p.high[f] = s->high[f];
    }
    return p;
}

/* Returns the parameters for two special cases: values that are all the same have no noise, and
   values at a single place have only noise. */
static struct gaussian_parameters constant_parameters(const struct scaled *s, size_t factors)
{
    struct gaussian_parameters p = no_parameters(s, factors);
    p.noise = s->spread * s->spread;
    p.signal = fmax(p.noise * FLT_EPSILON, DBL_MIN);
    return p;
}

/* Converts the parameters from scaled units to those of the points. */
static struct gaussian_parameters
parameters_of(const struct scaled *s, const struct gaussian_parameters *found, size_t factors)
{
    struct gaussian_parameters p = no_parameters(s, factors);
    double variance = s->spread * s->spread;
    p.mean += s->spread * found->mean;
    p.signal = found->signal * variance;
    p.noise = found->noise * variance;
    for (size_t k = 0; k < s->points.factors; k++) {
        size_t f = s->factor[k];
        double range = s->high[f] - s->low[f];
        p.length[f] = range * found->length[k];
        p.noise_slope[f] = found->noise_slope[k] / range;
    }
    return p;
}

static int find_parameters(struct scaled *s, const struct gaussian_points *points, uint64_t seed,
                           const struct watch *watch, struct found *out, struct err *e)
{
    struct arena memory;
    struct random random;
    size_t n = points->n, cells = n * points->factors;
    if (arena_init_untouched(&memory,
                             arena_bytes(cells, sizeof(double)) + arena_bytes(n, sizeof(double)) +
                                 arena_bytes(n, sizeof(size_t)),
                             e) != 0)
        return -1;
    s->at = arena_alloc(&memory, cells, sizeof(double));
    s->value = arena_alloc(&memory, n, sizeof(double));
    random_seed(&random, seed, 0);
    copy_in_random_order(s, points, &random, arena_alloc(&memory, n, sizeof(size_t)));
    int result = maximise(s, &random, watch, out, e);
    if (result == 0)
        out->parameters = parameters_of(s, &out->parameters, points->factors);
    arena_free(&memory);
    return result;
}

int gaussian_fit(struct gaussian_process *g, const struct gaussian_points *points, uint64_t seed,
                 const struct watch *watch, struct err *e)
{
    struct scaled s;
    struct found found = {.error_scale = 1, .degrees = INFINITY};
    find_factors(&s, points);
    find_spread(&s, points);
    if (!(s.spread > 0) || s.points.factors == 0)
        found.parameters = constant_parameters(&s, points->factors);
    else if (find_parameters(&s, points, seed, watch, &found, e) != 0)
        return -1;
    if (gaussian_condition(g, points, &found.parameters, e) != 0)
        return -1;
    g->estimated = true;
    g->error_scale = found.error_scale;
    g->degrees = found.degrees;
    return 0;
}
