/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits autoregressive models to the readings and to their batch means. */
#include "stat/estimate/mean_variance.h"

#include <math.h>
#include <stdbool.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/autoregression.h"
#include "stat/estimate/long_memory.h"

/* Above twice this many readings the model is fitted to batch means, to limit the cost. */
#define MODEL_READINGS 4096

/* Highest orders tried for the model of single readings and for that of batch means. */
#define ORDERS       20
#define BATCH_ORDERS 4

size_t mean_variance_scratch_bytes(size_t n)
{
    size_t model = n < 2 * MODEL_READINGS ? n : 2 * MODEL_READINGS;
    size_t brief = 2 * arena_bytes(model, sizeof(double)) + autoregression_scratch_bytes(model);
    size_t lasting = long_memory_scratch_bytes(n);
    return brief > lasting ? brief : lasting;
}

/* Writes the means of `size` adjacent readings each to `out`; readings left over at the end are not
   used. Returns their number. */
static size_t batch_means(const double x[], size_t n, size_t size, double out[])
{
    size_t count = n / size;
    for (size_t i = 0; i < count; i++)
        out[i] = mean_of(x + i * size, size);
    return count;
}

/*
 * Corrects the sum of the fitted coefficients for its bias: it is too small on average, by about (1
 * + 3r)/n for order 1. The variance of the mean depends on the distance of this sum from 1.
 */
static double corrected_persistence(const struct autoregression *a)
{
    double r = a->persistence;
    return r + (1 + 3 * r) * sqrt((double)a->order) / (double)a->n;
}

static size_t orders_for(size_t n, size_t max)
{
    double akaike_limit = 10 * log10((double)n);
    if (akaike_limit < (double)max)
        max = (size_t)akaike_limit;
    return max < n / 10 ? max : n / 10; /* with few readings few coefficients can be estimated */
}

static struct mean_variance variance_by_model(const double x[], size_t n, size_t max_orders,
                                              struct arena *scratch)
{
    double mean = mean_of(x, n);
    double variance = variance_of(x, n, mean);
    double max = variance / MEAN_VARIANCE_MIN_INDEPENDENT;
    struct autoregression a = autoregression_fit(x, n, mean, orders_for(n, max_orders), scratch);
    a.persistence = corrected_persistence(&a);

    /* An AR(1) series whose coefficient is this close to 1 has at most
       MEAN_VARIANCE_MIN_INDEPENDENT independent readings. */
    bool wanders =
        a.order > 0 && a.persistence >= 1 - 2 * MEAN_VARIANCE_MIN_INDEPENDENT / (double)n;
    double value = wanders ? max : autoregression_density_at_zero(&a) / (double)n;
    value = fmin(value, max);
    double independent = value > 0 ? fmin((double)n, variance / value) : (double)n;
    return (struct mean_variance){value, independent - 1, 0, 0};
}

double mean_variance_half_width(const struct mean_variance *v, double confidence)
{
    return student_t_quantile((1 + confidence) / 2, v->degrees) * sqrt(v->value);
}

/*
 * Fits two models to the series: one to single readings, one to batch means. The second sees slow
 * movement under fast noise, which the first misses when its order is low. The one that gives the
 * wider interval is used.
 */
struct mean_variance mean_variance_of(const double x[], size_t n, double confidence,
                                      struct arena *scratch)
{
    double mean = mean_of(x, n), variance = variance_of(x, n, mean);
    if (n < 3)
        return (struct mean_variance){variance / (double)n, (double)n - 1, 0, 0};
    size_t mark = arena_mark(scratch);
    double min = variance / ((double)n * (double)n), max_degrees = (double)n - 1;
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
        if (mean_variance_half_width(&slow, confidence) >
            mean_variance_half_width(&result, confidence))
            result = slow;
    }
    if (result.value < min)
        result = (struct mean_variance){min, max_degrees, 0, 0};
    arena_reset(scratch, mark);
    return result;
}

double mean_variance_kurtosis_degrees(const double x[], size_t n, double sd)
{
    size_t size = (size_t)cbrt((double)n), count = n / size;
    double centre = mean_of(x, n), second = 0, fourth = 0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < size; k++)
            /* divided by sd, since fourth powers may overflow a double */
            sum += (x[i * size + k] - centre) / sd;
        second += sum * sum;
        fourth += sum * sum * sum * sum;
    }
    double excess = (double)count * fourth / (second * second) - 3;
    return fmax(((double)count - 1) / (1 + fmax(excess, 0) / 2), 1);
}

void mean_variance_allow_for_memory(struct mean_variance *v, const double x[], size_t n,
                                    double confidence, struct arena *scratch)
{
    v->doubt = 1;
    if (n < LONG_MEMORY_MIN_READINGS)
        return;
    double variance = variance_of(x, n, mean_of(x, n));
    size_t sums = n / (size_t)cbrt((double)n);
    double normality =
        variance > 0 ? mean_variance_kurtosis_degrees(x, n, sqrt(variance)) / ((double)sums - 1)
                     : 0;
    struct long_memory m = long_memory_of(x, n, fmin(normality, 1), scratch);
    if (!(m.d > 0))
        return;
    struct mean_variance lasting = {fmin(m.variance, variance), m.degrees, m.d, 1};
    double wider =
        mean_variance_half_width(&lasting, confidence) / mean_variance_half_width(v, confidence);
    if (!(wider > 1))
        return;
    double doubt = pow(wider, 1 - m.evidence);
    if (m.evidence > 0) {
        lasting.value /= doubt * doubt;
        *v = lasting;
    }
    v->doubt = doubt;
}

double skewness_third_moment(const double x[], size_t n, double centre, size_t max_size)
{
    double largest = 0;
    for (size_t size = 1; size <= max_size; size *= 2) {
        double cubes = 0;
        size_t count = n / size;
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (size_t k = 0; k < size; k++)
                sum += x[i * size + k] - centre;
            cubes += sum * sum * sum;
        }
        double third = cubes / (double)(count * size);
        if (fabs(third) > fabs(largest))
            largest = third;
    }
    return largest;
}
