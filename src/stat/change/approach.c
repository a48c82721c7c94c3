/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a level and an exponential approach by least squares, for a grid of time constants. */
#include "stat/change/approach.h"

#include <float.h>
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/mean_variance.h"

#define CONFIDENCE   0.95
#define MIN_READINGS 120
#define BLOCKS       512 /* a longer series is replaced by about this many block means */
/* The time constants range from 1 / SHORTEST of the series' length up to its whole length. */
#define SHORTEST 64
/* Number of standard errors by which the amplitude must differ from 0. The limit is higher than for
   a single test, because the best of several time constants is taken. */
#define MIN_ERRORS 4.0
/* A time constant is ruled out when twice its log likelihood is lower than that of the best one by
   this value, compared with chi-squared of 1 degree of freedom. */
#define RULED_OUT 2.7

struct line {
    /* the fitted amplitude; the sum of squared deviations from the fit */
    double amplitude, squares;
    double spread; /* sum of squares of the regressor about its mean */
};

size_t approach_scratch_bytes(size_t n)
{
    size_t blocks = n < 2 * BLOCKS ? n : 2 * BLOCKS;
    return 2 * arena_bytes(blocks, sizeof(double)) + mean_variance_scratch_bytes(blocks);
}

/* Fits x[i] = level + amplitude exp(-i / time) by least squares, for a given `time`. */
static struct line line_for(const double x[], size_t n, double time)
{
    const double fall = exp(-1 / time);
    double e = 1, sum = 0, squares = 0, products = 0, total = sum_of_squares(x, n, mean_of(x, n));
    const double mean = mean_of(x, n);
    for (size_t i = 0; i < n; i++) {
        sum += e;
        squares += e * e;
        products += e * (x[i] - mean);
        e *= fall;
    }
    double spread = squares - sum * sum / (double)n;
    double amplitude = products / spread;
    return (struct line){amplitude, total - amplitude * products, spread};
}

/* Returns the sum of squared deviations from the levels between the cuts, raised by a penalty for
   each cut. The search chose the cuts to minimise this sum, so they absorb more noise than the
   parameters of a fit do. */
static double squares_of_stairs(const double x[], size_t n, const size_t cuts[], size_t cut_count)
{
    double squares = 0;
    for (size_t i = 0, begin = 0; i <= cut_count; i++) {
        size_t end = i < cut_count ? cuts[i] : n;
        squares += sum_of_squares(x + begin, end - begin, mean_of(x + begin, end - begin));
        begin = end;
    }
    return squares * (1 + 2 * log((double)n) * (double)cut_count / (double)n);
}

/* Returns the long-run variance of the deviations from the fit: n times the variance of their
   mean. */
static double density_of(const double x[], size_t n, const struct line *fit, double time,
                         struct arena *scratch)
{
    const size_t mark = arena_mark(scratch);
    double *deviation = arena_alloc(scratch, n, sizeof *deviation);
    const double fall = exp(-1 / time);
    double e = 1;
    for (size_t i = 0; i < n; i++) {
        deviation[i] = x[i] - fit->amplitude * e;
        e *= fall;
    }
    struct mean_variance v = mean_variance_of(deviation, n, CONFIDENCE, scratch);
    arena_reset(scratch, mark);
    return fmax(v.value * (double)n, DBL_MIN);
}

struct approach approach_of(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                            struct arena *scratch)
{
    struct approach a = {0};
    if (n < MIN_READINGS)
        return a;
    const size_t mark = arena_mark(scratch), size = n < 2 * BLOCKS ? 1 : n / BLOCKS;
    const size_t count = n / size;
    double *blocks = arena_alloc(scratch, count, sizeof *blocks);
    for (size_t i = 0; i < count; i++)
        blocks[i] = mean_of(x + i * size, size);

    struct line lines[APPROACH_TIMES];
    double times[APPROACH_TIMES];
    size_t best = 0;
    for (size_t i = 0; i < APPROACH_TIMES; i++) {
        times[i] = (double)count * pow(SHORTEST, (double)i / (APPROACH_TIMES - 1) - 1);
        lines[i] = line_for(blocks, count, times[i]);
        if (lines[i].squares < lines[best].squares)
            best = i;
    }
    double density = density_of(blocks, count, &lines[best], times[best], scratch);
    arena_reset(scratch, mark);
    double errors = fabs(lines[best].amplitude) / sqrt(density / lines[best].spread);
    struct line whole = line_for(x, n, times[best] * (double)size);
    if (!(errors > MIN_ERRORS) || whole.squares > squares_of_stairs(x, n, cuts, cut_count))
        return a;
    a.found = true;
    for (size_t i = 0; i < APPROACH_TIMES; i++) {
        if (lines[i].squares - lines[best].squares > RULED_OUT * density)
            continue;
        a.amplitude[a.count] = lines[i].amplitude;
        a.time[a.count++] = times[i] * (double)size;
    }
    return a;
}

double approach_shift(const struct approach *a, size_t begin, size_t end)
{
    double largest = 0;
    for (size_t i = 0; i < a->count && begin < end; i++) {
        double time = a->time[i];
        double rest = exp(-(double)begin / time) - exp(-(double)end / time);
        double shift = a->amplitude[i] * time * rest / (double)(end - begin);
        if (fabs(shift) > fabs(largest))
            largest = shift;
    }
    return largest;
}
