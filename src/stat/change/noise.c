/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes running medians, filters outliers, and estimates noise levels: robust to
   autocorrelation, and for series whose levels recur. */
#include "stat/change/internal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"

#define HALF_WINDOW  7
#define OUTLIER_MADS 5.0
#define JUMP_MADS    6.0
/* maximum share of jumps among the differences of neighbours: as many as if every segment had the
   minimum length */
#define LARGEST_SHARE_OF_JUMPS (1.0 / 30)
#define LARGEST_RHO            0.99

/* 1 / quantile(3/4) of the normal distribution: turns a MAD into a standard deviation */
static const double normal_mad = 1.482602218505602;

size_t noise_scratch_bytes(size_t n)
{
    return 2 * arena_bytes(n + 1, sizeof(double));
}

/* ---- running median: the readings of a window are kept in order by insertion and removal ---- */

struct window {
    double sorted[2 * RUNNING_MEDIAN_MAX_HALF + 1];
    size_t count;
};

static void window_insert(struct window *w, double value)
{
    size_t i = w->count++;
    for (; i > 0 && w->sorted[i - 1] > value; i--)
        w->sorted[i] = w->sorted[i - 1];
    w->sorted[i] = value;
}

static void window_remove(struct window *w, double value)
{
    size_t i = 0;
    while (i + 1 < w->count && w->sorted[i] != value)
        i++;
    w->count--;
    memmove(&w->sorted[i], &w->sorted[i + 1], (w->count - i) * sizeof w->sorted[0]);
}

void running_median(const double x[], size_t n, size_t half, double out[])
{
    struct window w = {.count = 0};
    for (size_t i = 0; i < half && i < n; i++)
        window_insert(&w, x[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + half < n)
            window_insert(&w, x[i + half]);
        if (i > half)
            window_remove(&w, x[i - half - 1]);
        size_t middle = w.count / 2;
        out[i] = w.count % 2 ? w.sorted[middle] : (w.sorted[middle - 1] + w.sorted[middle]) / 2;
    }
}

/* ---- noise ---- */

/* Returns the median of `distance`, scaled to a standard deviation. Reorders `distance`. */
static double mad_of(double distance[], size_t n)
{
    return normal_mad * median_of(distance, n);
}

void noise_clean(const double x[], size_t n, double largest_share, double out[],
                 struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *middle = arena_alloc(scratch, n, sizeof *middle);
    double *distance = arena_alloc(scratch, n, sizeof *distance);
    running_median(x, n, HALF_WINDOW, middle);
    for (size_t i = 0; i < n; i++)
        distance[i] = fabs(x[i] - middle[i]);
    double limit = OUTLIER_MADS * mad_of(distance, n);
    limit = fmax(limit, quantile_of(distance, n, 1 - largest_share));
    for (size_t i = 0; i < n; i++)
        out[i] = fmin(fmax(x[i], middle[i] - limit), middle[i] + limit);
    arena_reset(scratch, mark);
}

/* Returns the limit above which a difference of neighbours is a change of level; infinite when too
   many differences are that large. */
static double jump_limit(const double x[], size_t n, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *distance = arena_alloc(scratch, n - 1, sizeof *distance);
    for (size_t i = 0; i + 1 < n; i++)
        distance[i] = fabs(x[i + 1] - x[i]);
    double limit = JUMP_MADS * mad_of(distance, n - 1);
    size_t jumps = 0;
    for (size_t i = 0; i + 1 < n; i++)
        jumps += distance[i] > limit;
    bool rare = (double)jumps / (double)(n - 1) <= LARGEST_SHARE_OF_JUMPS;
    arena_reset(scratch, mark);
    return rare ? limit : INFINITY;
}

/* Returns the mean of (x[i] - x[i - lag])^2 over all pairs without a jump between the two readings;
   0: there is no such pair. internal.h calls this v_k, with k = lag. */
static double mean_squared_difference(const double x[], size_t n, size_t lag, double limit)
{
    double sum = 0;
    size_t count = 0, since_jump = 0;
    for (size_t i = 1; i < n; i++) {
        since_jump = fabs(x[i] - x[i - 1]) <= limit ? since_jump + 1 : 0;
        if (since_jump >= lag) {
            sum += (x[i] - x[i - lag]) * (x[i] - x[i - lag]);
            count++;
        }
    }
    return count ? sum / (double)count : 0;
}

double noise_level(const double x[], size_t n, struct arena *scratch)
{
    if (n < 4)
        return 0;
    double limit = jump_limit(x, n, scratch);
    double v1 = mean_squared_difference(x, n, 1, limit);
    double v2 = mean_squared_difference(x, n, 2, limit);
    if (v1 <= 0)
        return 0;
    double rho = fmin(fmax(v2 / v1 - 1, 0), LARGEST_RHO);
    return sqrt(v1 / (2 * (1 - rho)) * (1 + rho) / (1 - rho));
}

double noise_level_independent(const double x[], size_t n, struct arena *scratch)
{
    if (n < 4)
        return 0;
    return sqrt(mean_squared_difference(x, n, 1, jump_limit(x, n, scratch)) / 2);
}

/* ---- noise of series whose levels recur ---- */

#define MIN_TURNS 3
#define MIN_RATIO 1.5

/* Returns b/2 times the mean squared difference of neighbouring means of b readings, over all
   positions. */
static double block_noise_variance(const double sum[], size_t n, size_t block)
{
    double squares = 0;
    for (size_t i = 0; i + 2 * block <= n; i++) {
        double step = (sum[i + 2 * block] - 2 * sum[i + block] + sum[i]) / (double)block;
        squares += step * step;
    }
    return (double)block / 2 * squares / (double)(n - 2 * block + 1);
}

double recurrence_noise_level(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                              struct arena *scratch)
{
    if (cut_count < MIN_TURNS + 1)
        return 0;
    size_t mark = arena_mark(scratch);
    double *values = arena_alloc(scratch, n + 1, sizeof *values);
    size_t begin = 0, turns = 0;
    for (size_t i = 0; i <= cut_count; i++) {
        size_t end = i < cut_count ? cuts[i] : n;
        /* replaces the readings by the level of their segment */
        values[i] = mean_of(x + begin, end - begin);
        begin = end;
        if (i >= 2)
            turns += (values[i] > values[i - 1]) != (values[i - 1] > values[i - 2]);
    }
    double deviations = sum_of_squares(values, cut_count + 1, mean_of(values, cut_count + 1));
    double differences = 0;
    for (size_t i = 1; i <= cut_count; i++)
        differences += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
    double ratio = deviations > 0 ? differences / deviations : 0; /* von Neumann's ratio */
    bool recurs = turns >= MIN_TURNS && ratio >= MIN_RATIO;
    double variance = 0;
    if (recurs) {
        double mean = mean_of(x, n);
        values[0] = 0;
        for (size_t i = 0; i < n; i++)
            values[i + 1] = values[i] + (x[i] - mean);
        size_t turn = n / (turns + 1);
        variance =
            fmax(block_noise_variance(values, n, turn), block_noise_variance(values, n, 2 * turn));
    }
    arena_reset(scratch, mark);
    return sqrt(variance);
}
