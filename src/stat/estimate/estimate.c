/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates the mean of a series, or a ratio of sums, and its confidence interval. */
#include "stat/estimate/estimate.h"

#include <math.h>
#include <stdbool.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/internal.h"
#include "stat/estimate/long_memory.h"
#include "stat/estimate/mean_variance.h"

/* ---- subsessions, and Pilot's interval, which is computed from them ---- */

size_t subsessions_scratch_bytes(size_t n)
{
    return arena_bytes(n + 1, sizeof(double));
}

struct subsessions subsessions_of(const double x[], size_t n, double mean, struct arena *scratch)
{
    double *sum = arena_alloc(scratch, n + 1, sizeof *sum);
    for (size_t i = 0; i < n; i++)
        sum[i + 1] = sum[i] + (x[i] - mean);
    return (struct subsessions){.sum = sum, .n = n, .mean = mean};
}

struct subsession subsession_at(const struct subsessions *s, size_t size)
{
    size_t count = s->n / size;
    double squares = 0, products = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        double deviation = (s->sum[(i + 1) * size] - s->sum[i * size]) / (double)size;
        squares += deviation * deviation;
        products += before * deviation;
        before = deviation;
    }
    struct subsession result = {.size = size, .count = count, .variance = NAN};
    result.autocorrelation = NAN;
    if (count >= 2) {
        result.variance = squares / (double)(count - 1);
        result.autocorrelation = squares > 0 ? products / squares : 0;
    }
    return result;
}

static int within(const struct subsessions *s, size_t size, double limit)
{
    return fabs(subsession_at(s, size).autocorrelation) <= limit; /* false for NaN */
}

size_t subsession_size_pilot(const struct subsessions *s, double limit)
{
    for (size_t size = 1; size <= s->n / 3; size++)
        if (within(s, size, limit))
            return size;
    return 0;
}

size_t subsession_size_robust(const struct subsessions *s, double limit)
{
    for (size_t size = 1; size <= s->n / 3; size++)
        if (within(s, size, limit) && within(s, 2 * size, limit))
            return size;
    return 0;
}

double subsession_interval_width(const struct subsession *s, double confidence)
{
    if (s->count < 2)
        return INFINITY;
    double t = student_t_quantile((1 + confidence) / 2, (double)(s->count - 1));
    return 2 * t * sqrt(s->variance / (double)s->count);
}

/* ---- intervals ---- */

#define MOMENT_READINGS 30  /* with fewer readings skewness and kurtosis are not estimated */
#define SLIGHT_SKEWNESS 0.1 /* a smaller skewness of the mean is ignored */

/*
 * Returns how much further the interval reaches on the side of the longer tail, in standard errors:
 * the first term of Edgeworth's expansion of t. The other side is unchanged. A slight skewness is
 * ignored, because chance produces it.
 */
static double skewness_reach(const double x[], size_t n, const struct mean_variance *v, double t)
{
    if (n < MOMENT_READINGS || v->value <= 0)
        return 0;
    double third = skewness_third_moment(x, n, mean_of(x, n), (size_t)cbrt((double)n));
    double skewness = third / ((double)n * (double)n) / (v->value * sqrt(v->value));
    double counted = fmax(fabs(skewness) - SLIGHT_SKEWNESS, 0);
    return copysign(counted * (2 * t * t + 1) / 6, skewness);
}

static void spectral_interval(struct estimate *e, const double x[], size_t n, struct arena *scratch)
{
    struct mean_variance v = mean_variance_of(x, n, e->confidence, scratch);
    if (n >= MOMENT_READINGS && e->sd > 0)
        v.degrees = fmin(v.degrees, mean_variance_kurtosis_degrees(x, n, e->sd));
    mean_variance_allow_for_memory(&v, x, n, e->confidence, scratch);
    e->memory = v.memory;
    e->doubt = v.doubt;
    e->degrees = v.degrees;
    double half = mean_variance_half_width(&v, e->confidence);
    double error = sqrt(v.value);
    double reach = error * skewness_reach(x, n, &v, error > 0 ? half / error : 0);
    e->low = e->mean - half + fmin(reach, 0);
    e->high = e->mean + half + fmax(reach, 0);
    double independent = v.value > 0 ? e->sd * e->sd / v.value : (double)n;
    e->effective_n = fmin((double)n, fmax(independent, MEAN_VARIANCE_MIN_INDEPENDENT));
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

/* Fills in everything except the mean, which the caller has already set in `e`. */
static void estimate_spread(struct estimate *e, const double x[], size_t n,
                            const struct estimate_config *config, struct arena *scratch)
{
    double centre = mean_of(x, n);
    e->sd = standard_deviation_of(x, n, centre);
    e->autocorrelation = autocorrelation_of(x, n, centre, 1);

    size_t mark = arena_mark(scratch);
    struct subsessions s = subsessions_of(x, n, centre, scratch);
    bool pilot = config->method == INTERVAL_PILOT;
    double limit = config->autocorrelation_limit;
    size_t size = pilot ? 0 : subsession_size_robust(&s, limit);
    if (size == 0)
        size = subsession_size_pilot(&s, limit);
    e->subsession_size = size ? size : n;
    e->subsessions = n / e->subsession_size;
    if (pilot)
        pilot_interval(e, &s);
    else
        spectral_interval(e, x, n, scratch);
    arena_reset(scratch, mark);
    double next = sqrt(long_memory_next_factor(e->memory));
    e->next_low = e->mean - next * (e->mean - e->low);
    e->next_high = e->mean + next * (e->high - e->mean);
}

static struct estimate unknown_interval(double mean, size_t n, double confidence)
{
    return (struct estimate){.mean = mean,
                             .low = -INFINITY,
                             .high = INFINITY,
                             .next_low = -INFINITY,
                             .next_high = INFINITY,
                             .confidence = confidence,
                             .sd = NAN,
                             .doubt = 1,
                             .degrees = NAN,
                             .part_low = NAN,
                             .part_high = NAN,
                             .n = n,
                             .effective_n = (double)n,
                             .subsession_size = n,
                             .subsessions = n > 0};
}

void estimate_take_parts(struct estimate *e, const double numerator[], const double denominator[],
                         size_t n)
{
    e->part_low = e->part_high = NAN;
    for (size_t i = 0; i < ESTIMATE_PARTS && n >= ESTIMATE_PARTS; i++) {
        const size_t begin = i * n / ESTIMATE_PARTS, length = (i + 1) * n / ESTIMATE_PARTS - begin;
        const double below = denominator ? mean_of(denominator + begin, length) : 1;
        const double value = mean_of(numerator + begin, length) / below;
        e->part_low = fmin(e->part_low, value); /* fmin ignores NaN */
        e->part_high = fmax(e->part_high, value);
    }
}

size_t estimate_scratch_bytes(size_t n)
{
    return subsessions_scratch_bytes(n) + mean_variance_scratch_bytes(n) +
           arena_bytes(n, sizeof(double));
}

struct estimate estimate_mean(const double x[], size_t n, const struct estimate_config *config,
                              struct arena *scratch)
{
    struct estimate e = unknown_interval(mean_of(x, n), n, config->confidence);
    if (n >= 2)
        estimate_spread(&e, x, n, config, scratch);
    estimate_take_parts(&e, x, NULL, n);
    return e;
}

/* Returns the ratio of the sums. It is exact if all quotients are the same whole number; a ratio of
   means would have a rounding error. */
static double sum_ratio(const double numerator[], const double denominator[], size_t n)
{
    double above = 0, below = 0;
    for (size_t i = 0; i < n; i++) {
        above += numerator[i];
        below += denominator[i];
    }
    return above / below;
}

struct estimate estimate_ratio(const double numerator[], const double denominator[], size_t n,
                               const struct estimate_config *config, struct arena *scratch)
{
    double below = mean_of(denominator, n);
    double ratio = sum_ratio(numerator, denominator, n);
    struct estimate e = unknown_interval(ratio, n, config->confidence);
    if (n < 2 || !isfinite(ratio))
        return e;
    size_t mark = arena_mark(scratch);
    double *residual = arena_alloc(scratch, n, sizeof *residual);
    for (size_t i = 0; i < n; i++)
        residual[i] = (numerator[i] - ratio * denominator[i]) / below;
    estimate_spread(&e, residual, n, config, scratch);
    estimate_take_parts(&e, numerator, denominator, n);
    arena_reset(scratch, mark);
    return e;
}
