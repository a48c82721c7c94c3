/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the partial sums of the readings, and the lowest frequencies of their periodogram. */
#include "stat/estimate/slow_end.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/long_memory.h"
#include "stat/estimate/periodogram.h"

/* Quantile of the test: the level of a series without slow movement exceeds it with probability
   SLOW_END_ERROR (Kwiatkowski et al., table 1, times 6). */
#define WANDER_MAX 2.78
/* The lowest frequencies are computed from the means of this many blocks. */
#define BLOCKS 512

/* Returns the mean square of the partial sums, divided by its expectation according to the
   estimate. */
static double wander_of(const double x[], const struct estimate *e)
{
    const double n = (double)e->n, variance = e->sd * e->sd / e->effective_n;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < e->n; i++) {
        sum += x[i] - e->mean;
        squares += sum / n * (sum / n);
    }
    return squares / n / (variance * long_memory_wander_factor(e->memory));
}

/* Returns the probability that a flat spectrum has at least this much power at its lowest
   frequencies. */
static double chance_of_rise(const double x[], const struct estimate *e)
{
    enum { COUNT = SLOW_END_LOWEST + SLOW_END_BESIDE };
    double block[BLOCKS], cosine[COUNT], power[COUNT];
    const size_t size = (e->n + BLOCKS - 1) / BLOCKS, n = e->n / size;
    for (size_t i = 0; i < n; i++)
        block[i] = mean_of(x + i * size, size);
    for (size_t i = 0; i < COUNT; i++)
        cosine[i] = cos(2 * M_PI * (double)(i + 1) / (double)n);
    periodogram_at(block, n, cosine, COUNT, power);
    for (size_t i = 0; i < COUNT; i++)
        power[i] *= pow((double)(i + 1), 2 * e->memory);
    const double lowest = mean_of(power, SLOW_END_LOWEST),
                 beside = mean_of(power + SLOW_END_LOWEST, SLOW_END_BESIDE);
    return beside > 0 ? f_upper(lowest / beside, 2.0 * SLOW_END_LOWEST, 2.0 * SLOW_END_BESIDE) : 1;
}

bool slow_end_moves(const double x[], const struct estimate *e)
{
    return e->n >= SLOW_END_MIN_READINGS && e->sd > 0 &&
           (wander_of(x, e) > WANDER_MAX || chance_of_rise(x, e) < SLOW_END_ERROR);
}
