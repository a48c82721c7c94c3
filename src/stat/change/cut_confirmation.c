/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes, one by one, change points that autocorrelated or skewed noise explains equally well
   (backward elimination). */
#include "stat/change/internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/change/segment.h"
#include "stat/estimate/autoregression.h"

#define LARGEST_SAMPLE 1024 /* number of readings, or block means, by which one cut is judged */
/* the longer side is used up to this multiple of the shorter side's length */
#define LARGEST_IMBALANCE   16
#define LARGEST_ORDER       2 /* highest order; higher ones follow the steps of a drift too well */
#define LARGEST_PERSISTENCE 0.99
#define STANDARD_ERRORS     2

/* The readings around a cut. */
struct sample {
    double value[LARGEST_SAMPLE];
    size_t left, right; /* numbers of readings before and after the cut */
};

struct judged_series {
    const double *x;
    size_t n;
    double largest_persistence;
    struct sample *sample;
    struct arena *scratch;
};

size_t confirm_scratch_bytes(size_t cut_count)
{
    return arena_bytes(cut_count, sizeof(double)) + arena_bytes(1, sizeof(struct sample)) +
           autoregression_scratch_bytes(LARGEST_SAMPLE);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copies the readings around the cut. The longer side is shortened to at most LARGEST_IMBALANCE
   times the shorter one, and long sides are averaged in blocks. */
static void take_sample(struct sample *s, const double x[], size_t begin, size_t cut, size_t end)
{
    size_t left = cut - begin, right = end - cut;
    size_t longest = LARGEST_IMBALANCE * smaller(left, right);
    left = smaller(left, longest);
    right = smaller(right, longest);
    size_t block = (left + right + LARGEST_SAMPLE - 1) / LARGEST_SAMPLE;
    s->left = left / block;
    s->right = right / block;
    const double *first = x + cut - s->left * block;
    for (size_t i = 0; i < s->left + s->right; i++)
        s->value[i] = mean_of(first + i * block, block);
}

static void subtract_mean(double x[], size_t n)
{
    double mean = mean_of(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] -= mean;
}

/* Returns minus twice the log likelihood, plus a penalty for the order. */
static double deviance(const struct autoregression *a)
{
    return (double)a->n * log(fmax(a->variance, DBL_MIN)) + 2 * (double)a->order;
}

static double persistence_limit(const struct autoregression *a)
{
    double r = fmax(a->persistence, 0), n = (double)a->n;
    double order = fmax((double)a->order, 1);
    double bias = 2 * (1 + 3 * r) * sqrt(order) / n;
    double error = sqrt(order * (1 - r * r) / n);
    return fmin(r + bias + STANDARD_ERRORS * error, LARGEST_PERSISTENCE);
}

static double skewness(const double deviation[], size_t n)
{
    double second = 0, third = 0;
    for (size_t i = 0; i < n; i++) {
        second += deviation[i] * deviation[i];
        third += deviation[i] * deviation[i] * deviation[i];
    }
    second /= (double)n;
    return second > 0 ? third / (double)n / (second * sqrt(second)) : 0;
}

static double worth_of_cut(const struct judged_series *j, size_t begin, size_t cut, size_t end)
{
    struct sample *s = j->sample;
    take_sample(s, j->x, begin, cut, end);
    size_t n = s->left + s->right;
    double step = mean_of(s->value, s->left) - mean_of(s->value + s->left, s->right);
    subtract_mean(s->value, n);
    struct autoregression one = autoregression_fit(s->value, n, 0, LARGEST_ORDER, j->scratch);
    subtract_mean(s->value, s->left);
    subtract_mean(s->value + s->left, s->right);
    struct autoregression two = autoregression_fit(s->value, n, 0, LARGEST_ORDER, j->scratch);

    double rest = 1 - fmin(persistence_limit(&two), j->largest_persistence);
    double variance = two.variance / (rest * rest) * (1 / (double)s->left + 1 / (double)s->right);
    double worth = fmax(deviance(&one) - deviance(&two), step * step / fmax(variance, DBL_MIN));
    /* Skewness of the difference of the two means, computed from the skewness of one reading. */
    double left = 1 / (double)s->left, right = 1 / (double)s->right;
    double skew = skewness(s->value, n) * (left * left - right * right) / pow(left + right, 1.5);
    double favour = step > 0 ? skew : -skew;
    return favour > 0 && worth > 0 ? worth / (1 + favour * sqrt(worth) / 3) : worth;
}

static double worth_at(const struct judged_series *j, const size_t cuts[], size_t count, size_t i)
{
    size_t begin = i > 0 ? cuts[i - 1] : 0, end = i + 1 < count ? cuts[i + 1] : j->n;
    return worth_of_cut(j, begin, cuts[i], end);
}

static double persistence_of_longest(const struct judged_series *j, const size_t cuts[],
                                     size_t count)
{
    struct segment longest = segment_longest(j->n, cuts, count);
    size_t length = longest.end - longest.begin;
    if (length <= j->n / 3)
        return LARGEST_PERSISTENCE;
    size_t taken = smaller(length, LARGEST_SAMPLE);
    memcpy(j->sample->value, j->x + longest.begin + (length - taken) / 2, taken * sizeof(double));
    subtract_mean(j->sample->value, taken);
    struct autoregression a =
        autoregression_fit(j->sample->value, taken, 0, LARGEST_ORDER, j->scratch);
    return persistence_limit(&a);
}

size_t confirm_cuts(const double x[], size_t n, size_t cuts[], size_t count, double min_worth,
                    struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *worth = arena_alloc(scratch, count, sizeof *worth);
    struct judged_series j = {.x = x, .n = n, .scratch = scratch};
    j.sample = arena_alloc(scratch, 1, sizeof *j.sample);
    j.largest_persistence = persistence_of_longest(&j, cuts, count);
    for (size_t i = 0; i < count; i++)
        worth[i] = worth_at(&j, cuts, count, i);
    while (count > 0) {
        size_t i = index_of_min(worth, count);
        if (worth[i] >= min_worth)
            break;
        count--;
        memmove(&cuts[i], &cuts[i + 1], (count - i) * sizeof cuts[0]);
        memmove(&worth[i], &worth[i + 1], (count - i) * sizeof worth[0]);
        if (i > 0)
            worth[i - 1] = worth_at(&j, cuts, count, i - 1);
        if (i < count)
            worth[i] = worth_at(&j, cuts, count, i);
    }
    arena_reset(scratch, mark);
    return count;
}
