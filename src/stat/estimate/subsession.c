/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subsession sizes, their autocorrelation, and the interval Pilot makes from them. */
#include "stat/estimate/internal.h"

#include <math.h>

#include "stat/basic/distribution.h"

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
