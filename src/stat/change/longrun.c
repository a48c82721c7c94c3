/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes, one by one, change points that do not stand up to the long-run variance of the
   deviations (backward elimination). */
#include "stat/change/internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/mean_variance.h"

#define CONFIDENCE 0.95

/* The long-run noise about the levels, computed from sums of many readings. */
struct noise {
    double density;  /* s0: n times the variance of a mean */
    double degrees;  /* degrees of freedom of the estimate of `density` */
    double skewness; /* skewness of a sum of m readings, times sqrt(m) */
};

struct level {
    double mean;
    double count;
};

struct division {
    const double *x;
    size_t n;
    size_t *cuts;
    size_t count;
    struct level *level; /* [count + 1] */
    double *worth;       /* [count] */
    struct noise noise;
};

size_t longrun_scratch_bytes(size_t n, size_t cut_count)
{
    return arena_bytes(cut_count + 1, sizeof(struct level)) +
           arena_bytes(cut_count, sizeof(double)) + arena_bytes(n, sizeof(double)) +
           mean_variance_scratch_bytes(n);
}

/* Returns true if the segment is one step of a longer rise or fall. The first and the last segment
   are judged by the two segments next to them. */
static bool on_a_slope(const struct division *d, size_t i)
{
    if (d->count < 2)
        return false;
    size_t middle = i == 0 ? 1 : i == d->count ? d->count - 1 : i;
    const struct level *l = &d->level[middle];
    return (l->mean > (l - 1)->mean) == ((l + 1)->mean > l->mean);
}

static void subtract_trend(double x[], size_t n)
{
    double centre = ((double)n - 1) / 2, products = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        products += ((double)i - centre) * x[i];
        squares += ((double)i - centre) * ((double)i - centre);
    }
    double slope = squares > 0 ? products / squares : 0;
    for (size_t i = 0; i < n; i++)
        x[i] -= slope * ((double)i - centre);
}

/*
 * Measures the noise as deviations from the levels; on a slope, as deviations from a line, because
 * the steps that approximate a decay are not noise. Each fitted parameter costs one independent
 * reading.
 */
static void measure_noise(struct division *d, struct arena *scratch)
{
    size_t mark = arena_mark(scratch), begin = 0, fitted = 0;
    double *deviation = arena_alloc(scratch, d->n, sizeof *deviation);
    for (size_t i = 0; i <= d->count; i++) {
        size_t end = i < d->count ? d->cuts[i] : d->n;
        for (size_t k = begin; k < end; k++)
            deviation[k] = d->x[k] - d->level[i].mean;
        fitted++;
        if (on_a_slope(d, i)) {
            subtract_trend(deviation + begin, end - begin);
            fitted++;
        }
        begin = end;
    }
    struct mean_variance v = mean_variance_of(deviation, d->n, CONFIDENCE, scratch);
    double left = fmax(v.degrees + 2 - (double)fitted, 1);
    double density = fmax(v.value * (double)d->n * (v.degrees + 1) / left, DBL_MIN);
    size_t max_size = 4 * (size_t)cbrt((double)d->n);
    double third = skewness_third_moment(deviation, d->n, 0, max_size);
    d->noise = (struct noise){density, fmax(left - 1, 1), third / (density * sqrt(density))};
    arena_reset(scratch, mark);
}

static double worth_of(const struct division *d, size_t i)
{
    const struct level *before = &d->level[i], *after = &d->level[i + 1];
    double left = 1 / before->count, right = 1 / after->count;
    double step = before->mean - after->mean;
    double square = step * step / (d->noise.density * (left + right));
    double worth = (d->noise.degrees + 1) * log1p(square / d->noise.degrees);
    double skew = d->noise.skewness * (left * left - right * right) / pow(left + right, 1.5);
    double favour = step > 0 ? skew : -skew;
    return favour > 0 ? worth / (1 + favour * sqrt(worth) / 3) : worth;
}

static void remove_cut(struct division *d, size_t i)
{
    struct level *before = &d->level[i], *after = &d->level[i + 1];
    double count = before->count + after->count;
    before->mean += (after->mean - before->mean) * (after->count / count);
    before->count = count;
    d->count--;
    memmove(&d->cuts[i], &d->cuts[i + 1], (d->count - i) * sizeof d->cuts[0]);
    memmove(&d->worth[i], &d->worth[i + 1], (d->count - i) * sizeof d->worth[0]);
    memmove(&d->level[i + 1], &d->level[i + 2], (d->count - i) * sizeof d->level[0]);
    if (i > 0)
        d->worth[i - 1] = worth_of(d, i - 1);
    if (i < d->count)
        d->worth[i] = worth_of(d, i);
}

size_t longrun_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count, double min_worth,
                    struct arena *scratch)
{
    if (cut_count == 0)
        return 0;
    size_t mark = arena_mark(scratch);
    struct division d = {.x = x, .n = n, .count = cut_count};
    d.cuts = cuts;
    d.level = arena_alloc(scratch, cut_count + 1, sizeof *d.level);
    d.worth = arena_alloc(scratch, cut_count, sizeof *d.worth);
    for (size_t i = 0, begin = 0; i <= cut_count; i++) {
        size_t end = i < cut_count ? cuts[i] : n;
        d.level[i] = (struct level){mean_of(x + begin, end - begin), (double)(end - begin)};
        begin = end;
    }
    measure_noise(&d, scratch);
    for (size_t i = 0; i < d.count; i++)
        d.worth[i] = worth_of(&d, i);
    while (d.count > 0) {
        size_t i = index_of_min(d.worth, d.count);
        if (d.worth[i] >= min_worth)
            break;
        remove_cut(&d, i);
    }
    arena_reset(scratch, mark);
    return d.count;
}
