/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the independent readings of a stretch through an autoregressive fit. */
#include "stat/change/internal.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/autoregression.h"

#define MIN_INDEPENDENT 3.0
/* a ramp or a decay has no more independent readings in a short stretch */
#define MIN_OF_SHORT   1.5
#define LARGEST_SAMPLE 1024
#define LARGEST_ORDER  5

size_t reversion_scratch_bytes(void)
{
    return arena_bytes(LARGEST_SAMPLE, sizeof(double)) +
           autoregression_scratch_bytes(LARGEST_SAMPLE);
}

static bool fit_is_steady(const double x[], size_t n, double mean, size_t order, double min,
                          struct arena *scratch)
{
    struct autoregression a = autoregression_fit(x, n, mean, order, scratch);
    double rest = 1 - a.persistence;
    return sum_of_squares(x, n, mean) * rest * rest >= min * a.variance;
}

bool reversion_is_steady(const double x[], size_t n, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *sample = arena_alloc(scratch, LARGEST_SAMPLE, sizeof *sample);
    size_t block = (n + LARGEST_SAMPLE - 1) / LARGEST_SAMPLE, count = n / block;
    for (size_t i = 0; i < count; i++)
        sample[i] = mean_of(x + i * block, block);
    /* A few readings of a correlated series often look like a part of a slope: more evidence is
       required. */
    double min = fmin(fmax((double)n / 150, MIN_OF_SHORT), MIN_INDEPENDENT);
    double mean = mean_of(sample, count);
    bool steady = sum_of_squares(sample, count, mean) <= 0 ||
                  (fit_is_steady(sample, count, mean, 1, min, scratch) &&
                   fit_is_steady(sample, count, mean, LARGEST_ORDER, min, scratch));
    arena_reset(scratch, mark);
    return steady;
}
