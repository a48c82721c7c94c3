/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running median, outlier filter and autocorrelation-robust noise level. */
#include "stat/change/internal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"

#define HALF_WINDOW            7
#define OUTLIER_MADS           5.0
#define JUMP_MADS              6.0
#define LARGEST_SHARE_OF_JUMPS (1.0 / 30) /* as many as segments of the least length could have */
#define LARGEST_RHO            0.99

static const double normal_mad = 1.482602218505602; /* 1 / quantile(3/4) of the normal */

size_t noise_scratch_bytes(size_t n)
{
    return 2 * arena_bytes(n, sizeof(double));
}

/* ---- running median: a window kept in order by insertion and removal ---- */

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

/* Reorders distance. */
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

/* Differences of neighbours above this are changes of level; infinite when there are too many. */
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

/* v_k: the mean squared difference over the pairs without a jump between them. */
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
