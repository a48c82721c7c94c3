/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises recurring levels and measures the noise on their scale. */
#include "stat/change/internal.h"

#include <math.h>
#include <stdbool.h>

#include "stat/basic/descriptive.h"

#define MIN_TURNS 3
#define MIN_RATIO 1.5

size_t recurrence_scratch_bytes(size_t n)
{
    return arena_bytes(n + 1, sizeof(double));
}

static double von_neumann_ratio(const double level[], size_t count)
{
    double deviations = sum_of_squares(level, count, mean_of(level, count)), differences = 0;
    for (size_t i = 1; i < count; i++)
        differences += (level[i] - level[i - 1]) * (level[i] - level[i - 1]);
    return deviations > 0 ? differences / deviations : 0;
}

/* b/2 times the mean squared difference of neighbouring means of b readings, over all positions. */
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
        values[i] = mean_of(x + begin, end - begin); /* the level of the segment */
        begin = end;
        if (i >= 2)
            turns += (values[i] > values[i - 1]) != (values[i - 1] > values[i - 2]);
    }
    bool recurs = turns >= MIN_TURNS && von_neumann_ratio(values, cut_count + 1) >= MIN_RATIO;
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
