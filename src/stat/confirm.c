/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backward elimination of cuts by the likelihood of an autoregressive model with and without each. */
#include "stat/confirm.h"

#include <math.h>
#include <string.h>

#include "stat/autoregression.h"
#include "stat/descriptive.h"

#define LARGEST_SAMPLE 1024 /* readings, or means of blocks of readings, that one cut is judged on */
#define LARGEST_IMBALANCE 16 /* the longer side counts up to this many times the shorter */
#ifndef LARGEST_ORDER
#define LARGEST_ORDER 2
#endif

#ifndef DOM
#define DOM 3
#endif
#ifndef UCL
#define UCL 2
#endif

struct sample {
    double value[LARGEST_SAMPLE + 2];
    size_t left, right; /* readings before and after the cut */
    double largest_persistence; /* that the noise of the series can have */
};

size_t confirm_scratch_bytes(size_t cut_count)
{
    return arena_bytes(cut_count, sizeof(double)) + arena_bytes(1, sizeof(struct sample)) +
           autoregression_scratch_bytes(LARGEST_SAMPLE + 2);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The readings around a cut, the two sides comparable in length, averaged in blocks when many. */
static void take_sample(struct sample *s, const double x[], size_t begin, size_t cut, size_t end)
{
    size_t left = cut - begin, right = end - cut;
    size_t longest = LARGEST_IMBALANCE * least(left, right);
    left = least(left, longest);
    right = least(right, longest);
    size_t block = (left + right + LARGEST_SAMPLE - 1) / LARGEST_SAMPLE;
    s->left = left / block;
    s->right = right / block;
    const double *first = x + cut - s->left * block;
    for (size_t i = 0; i < s->left + s->right; i++)
        s->value[i] = mean_of(first + i * block, block);
}

/* n times the log of the noise variance, plus the charge for the order. */
static double badness(const struct autoregression *a)
{
    return (double)a->n * log(fmax(a->variance, 1e-300)) + 2 * (double)a->order;
}

static void subtract_mean(double x[], size_t n)
{
    double mean = mean_of(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] -= mean;
}

static double skewness(const double x[], size_t n)
{
    double second = 0, third = 0;
    for (size_t i = 0; i < n; i++) {
        second += x[i] * x[i];
        third += x[i] * x[i] * x[i];
    }
    second /= (double)n;
    return second > 0 ? third / (double)n / (second * sqrt(second)) : 0;
}

/* The skewness of (mean of the left side - mean of the right side), from that of one reading. */
static double skewness_of_difference(const struct sample *s, double skew)
{
    double left = 1 / (double)s->left, right = 1 / (double)s->right;
    return skew * (left * left - right * right) / pow(left + right, 1.5);
}

static double persistence_limit(const struct autoregression *a)
{
    double r = fmax(a->persistence, 0), n = (double)a->n;
    double bias = 2 * (1 + 3 * r) * sqrt(fmax((double)a->order, 1)) / n;
    double error = sqrt(fmax((double)a->order, 1) * (1 - r * r) / n);
    return fmin(r + bias + UCL * error, 0.99);
}

static double worth_of_cut(const double x[], size_t begin, size_t cut, size_t end,
                           struct sample *s, struct arena *scratch)
{
    take_sample(s, x, begin, cut, end);
    size_t n = s->left + s->right;
    double step = mean_of(s->value, s->left) - mean_of(s->value + s->left, s->right);
    subtract_mean(s->value, n);
    struct autoregression one = autoregression_fit(s->value, n, 0, LARGEST_ORDER, scratch);
    subtract_mean(s->value, s->left);
    subtract_mean(s->value + s->left, s->right);
    struct autoregression two = autoregression_fit(s->value, n, 0, LARGEST_ORDER, scratch);
    double worth = fmax(badness(&one) - badness(&two), 0);
    double rest = 1 - fmin(persistence_limit(&two), s->largest_persistence);
    double noise = two.variance / (rest * rest) * (1 / (double)s->left + 1 / (double)s->right);
    worth = fmax(worth, step * step / fmax(noise, 1e-300));
    double skew = skewness_of_difference(s, skewness(s->value, n));
    double help = step > 0 ? skew : -skew;
    return help > 0 ? worth / (1 + help * sqrt(worth) / 3) : worth;
}

static double worth_at(const double x[], size_t n, const size_t cuts[], size_t count, size_t i,
                       struct sample *s, struct arena *scratch)
{
    size_t begin = i > 0 ? cuts[i - 1] : 0, end = i + 1 < count ? cuts[i + 1] : n;
    return worth_of_cut(x, begin, cuts[i], end, s, scratch);
}

static size_t weakest(const double worth[], size_t count)
{
    size_t weakest = 0;
    for (size_t i = 1; i < count; i++)
        if (worth[i] < worth[weakest])
            weakest = i;
    return weakest;
}

/* The persistence of the noise cannot be higher than it is in a segment that dominates the series. */
static double persistence_of_dominant(const double x[], size_t n, const size_t cuts[],
                                      size_t count, struct sample *s, struct arena *scratch)
{
    size_t begin = 0, longest = 0, longest_begin = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? cuts[i] : n;
        if (end - begin > longest) {
            longest = end - begin;
            longest_begin = begin;
        }
        begin = end;
    }
    if (longest <= n / DOM)
        return 0.99;
    size_t length = least(longest, LARGEST_SAMPLE);
    memcpy(s->value, x + longest_begin + (longest - length) / 2, length * sizeof(double));
    subtract_mean(s->value, length);
    struct autoregression a = autoregression_fit(s->value, length, 0, LARGEST_ORDER, scratch);
    return persistence_limit(&a);
}

size_t confirm_cuts(const double x[], size_t n, size_t cuts[], size_t count, double least_worth,
                    struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *worth = arena_alloc(scratch, count, sizeof *worth);
    struct sample *sample = arena_alloc(scratch, 1, sizeof *sample);
    sample->largest_persistence = persistence_of_dominant(x, n, cuts, count, sample, scratch);
    for (size_t i = 0; i < count; i++)
        worth[i] = worth_at(x, n, cuts, count, i, sample, scratch);
    while (count > 0) {
        size_t i = weakest(worth, count);
        if (worth[i] >= least_worth)
            break;
        count--;
        memmove(&cuts[i], &cuts[i + 1], (count - i) * sizeof cuts[0]);
        memmove(&worth[i], &worth[i + 1], (count - i) * sizeof worth[0]);
        if (i > 0)
            worth[i - 1] = worth_at(x, n, cuts, count, i - 1, sample, scratch);
        if (i < count)
            worth[i] = worth_at(x, n, cuts, count, i, sample, scratch);
    }
    arena_reset(scratch, mark);
    return count;
}
