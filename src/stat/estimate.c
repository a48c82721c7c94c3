/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variance of a mean of autocorrelated readings, and the interval made from it. */
#include "stat/estimate.h"

#include <math.h>
#include <stdbool.h>

#include "stat/autoregression.h"
#include "stat/descriptive.h"
#include "stat/distribution.h"
#include "stat/subsession.h"

/* Above twice this many readings the model is fitted to batch means: the cost stays small. */
#define MODEL_READINGS 4096

/* Orders to try for the model of single readings and for that of batch means. */
#define ORDERS       20
#define BATCH_ORDERS 4

/* No series is taken for fewer independent readings than this: it bounds the width. */
#define LEAST_INDEPENDENT 3.0

/* The variance of a mean, and how many degrees of freedom went into it. */
struct mean_variance {
    double value;
    double degrees;
};

/* Means of `size` adjacent readings each; readings left over at the end are not used. */
static size_t batch_means(const double x[], size_t n, size_t size, double out[])
{
    size_t count = n / size;
    for (size_t i = 0; i < count; i++)
        out[i] = mean_of(x + i * size, size);
    return count;
}

/*
 * The sum of the fitted coefficients is too small on average, by about (1 + 3r)/n for order 1, and
 * the variance of the mean hangs on its distance from 1.
 */
static double corrected_persistence(const struct autoregression *a)
{
    double r = a->persistence;
    return r + (1 + 3 * r) * sqrt((double)a->order) / (double)a->n;
}

static size_t orders_for(size_t n, size_t most)
{
    double akaike_limit = 10 * log10((double)n);
    if (akaike_limit < (double)most)
        most = (size_t)akaike_limit;
    return most < n / 10 ? most : n / 10; /* few readings support few coefficients */
}

static struct mean_variance variance_by_model(const double x[], size_t n, size_t most_orders,
                                              struct arena *scratch)
{
    double mean = mean_of(x, n);
    double variance = variance_of(x, n, mean);
    double most = variance / LEAST_INDEPENDENT;
    struct autoregression a = autoregression_fit(x, n, mean, orders_for(n, most_orders), scratch);
    a.persistence = corrected_persistence(&a);

    /* An AR(1) series this close to a random walk has LEAST_INDEPENDENT independent readings. */
    bool wanders = a.order > 0 && a.persistence >= 1 - 2 * LEAST_INDEPENDENT / (double)n;
    double value = wanders ? most : autoregression_density_at_zero(&a) / (double)n;
    value = fmin(value, most);
    double independent = value > 0 ? fmin((double)n, variance / value) : (double)n;
    return (struct mean_variance){value, independent - 1};
}

static double half_width(const struct mean_variance *v, double confidence)
{
    return student_t_quantile((1 + confidence) / 2, v->degrees) * sqrt(v->value);
}

/*
 * Two models of the same series: one of single readings, one of batch means. The second sees slow
 * movement under fast noise, which the first misses when the order that pays is low. The wider
 * wins.
 */
static struct mean_variance variance_of_mean(const double x[], size_t n, double confidence,
                                             struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    if (n >= 2 * MODEL_READINGS) {
        double *shorter = arena_alloc(scratch, 2 * MODEL_READINGS, sizeof *shorter);
        n = batch_means(x, n, n / MODEL_READINGS, shorter);
        x = shorter;
    }
    struct mean_variance result = variance_by_model(x, n, ORDERS, scratch);

    size_t size = (size_t)cbrt((double)n);
    if (size > 1) {
        double *batches = arena_alloc(scratch, n / size, sizeof *batches);
        size_t count = batch_means(x, n, size, batches);
        struct mean_variance slow = variance_by_model(batches, count, BATCH_ORDERS, scratch);
        if (half_width(&slow, confidence) > half_width(&result, confidence))
            result = slow;
    }
    arena_reset(scratch, mark);
    return result;
}

static void spectral_interval(struct estimate *e, const double x[], size_t n, struct arena *scratch)
{
    struct mean_variance v = variance_of_mean(x, n, e->confidence, scratch);
    double half = half_width(&v, e->confidence);
    e->low = e->mean - half;
    e->high = e->mean + half;
    e->effective_n = v.value > 0 ? fmin((double)n, e->sd * e->sd / v.value) : (double)n;
}

static void pilot_interval(struct estimate *e, const struct subsessions *s)
{
    if (e->subsessions < 2)
        return;
    struct subsession chosen = subsession_at(s, e->subsession_size);
    double half = subsession_interval_width(&chosen, e->confidence) / 2;
    e->low = e->mean - half;
    e->high = e->mean + half;
    e->effective_n = (double)e->subsessions;
}

/* Everything about the readings but their mean, which the caller has put into `e`. */
static void estimate_spread(struct estimate *e, const double x[], size_t n,
                            const struct estimate_config *config, struct arena *scratch)
{
    double centre = mean_of(x, n);
    e->sd = standard_deviation_of(x, n, centre);
    e->autocorrelation = autocorrelation_of(x, n, centre, 1);

    size_t mark = arena_mark(scratch);
    struct subsessions s = subsessions_of(x, n, centre, scratch);
    bool pilot = config->method == INTERVAL_PILOT;
    size_t size = pilot ? subsession_size_pilot(&s, config->autocorrelation_limit)
                        : subsession_size_robust(&s, config->autocorrelation_limit);
    e->subsession_size = size ? size : n;
    e->subsessions = n / e->subsession_size;
    if (pilot)
        pilot_interval(e, &s);
    else
        spectral_interval(e, x, n, scratch);
    arena_reset(scratch, mark);
}

static struct estimate unknown_interval(double mean, size_t n, double confidence)
{
    return (struct estimate){.mean = mean,
                             .low = -INFINITY,
                             .high = INFINITY,
                             .confidence = confidence,
                             .sd = NAN,
                             .n = n,
                             .effective_n = (double)n,
                             .subsession_size = n,
                             .subsessions = n > 0};
}

size_t estimate_scratch_bytes(size_t n)
{
    size_t model = n < 2 * MODEL_READINGS ? n : 2 * MODEL_READINGS;
    return subsessions_scratch_bytes(n) + 2 * arena_bytes(model, sizeof(double)) +
           autoregression_scratch_bytes(model) + arena_bytes(n, sizeof(double));
}

struct estimate estimate_mean(const double x[], size_t n, const struct estimate_config *config,
                              struct arena *scratch)
{
    struct estimate e = unknown_interval(mean_of(x, n), n, config->confidence);
    if (n >= 3)
        estimate_spread(&e, x, n, config, scratch);
    return e;
}

struct estimate estimate_ratio(const double numerator[], const double denominator[], size_t n,
                               const struct estimate_config *config, struct arena *scratch)
{
    double below = mean_of(denominator, n);
    double ratio = mean_of(numerator, n) / below;
    struct estimate e = unknown_interval(ratio, n, config->confidence);
    if (n < 3 || !isfinite(ratio))
        return e;
    size_t mark = arena_mark(scratch);
    double *residual = arena_alloc(scratch, n, sizeof *residual);
    for (size_t i = 0; i < n; i++)
        residual[i] = (numerator[i] - ratio * denominator[i]) / below;
    estimate_spread(&e, residual, n, config, scratch);
    arena_reset(scratch, mark);
    return e;
}
