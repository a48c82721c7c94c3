/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence that a mean of readings with memory is not 0: Bayes factors, and a test for one look. */
#include "stat/compare/difference.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/compare/internal.h"

/* The prior distribution of the mean: standard deviations, in units of a reading's, and their
   weights. */
static const struct width {
    double scale, weight;
} widths[] = {{0.3, 0.5}, {0.8, 0.3}, {3, 0.1}, {30, 0.1}};
#define WIDTHS (sizeof widths / sizeof *widths)

static double log_sum(double a, double b)
{
    double larger = fmax(a, b), smaller = fmin(a, b);
    return isinf(larger) ? larger : larger + log1p(exp(smaller - larger));
}

double difference_evidence_of_t(double t, double degrees, double n)
{
    double sum = -INFINITY;
    if (isnan(t) || !(degrees > 0))
        return -INFINITY;
    if (isinf(t))
        return INFINITY;
    for (size_t k = 0; k < WIDTHS; k++) {
        double known = widths[k].scale * widths[k].scale * n;
        double fit = log1p(t * t / degrees) - log1p(t * t / (degrees * (1 + known)));
        sum = log_sum(sum, log(widths[k].weight) + (degrees + 1) / 2 * fit - log1p(known) / 2);
    }
    return sum;
}

size_t difference_scratch_bytes(size_t n)
{
    return 2 * arena_bytes(n, sizeof(double));
}

/* Both series less their means, with the mean of the differences beside them: nothing large
   cancels. */
void difference_pairs(struct difference *to, const double a[], const double b[], size_t n,
                      double ratio, enum dependence dependence, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    struct dependence_model models[DEPENDENCE_MODELS];
    *to = (struct difference){
        .a = a, .b = b, .n = n, .dependence = dependence, .ratio = ratio, .scale = 1};
    if (dependence == DEPENDENCE_NONE || n < 2)
        return;
    double *x = arena_alloc(scratch, n, sizeof *x), *y = arena_alloc(scratch, n, sizeof *y);
    double mean_b = mean_of(b, n), largest = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = a[i] - ratio * b[i];
    double mean_x = mean_of(x, n);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(x[i] - mean_x), fabs(b[i] - mean_b)));
    to->scale = largest > 0 ? largest : 1;
    to->mean_x = mean_x / to->scale;
    to->mean_y = mean_b / to->scale;
    for (size_t i = 0; i < n; i++) {
        x[i] = (x[i] - mean_x) / to->scale;
        y[i] = (b[i] - mean_b) / to->scale;
    }
    to->count = dependence_models(models, n);
    for (size_t i = 0; i < to->count; i++) {
        to->models[i].null = models[i].null;
        to->models[i].other = models[i].other;
        to->models[i].whitened = dependence_whiten(&models[i], x, y, n);
    }
    arena_reset(scratch, mark);
}

/* The differences at a ratio after a model was taken out of them. */
struct rest {
    double squares;      /* their sum of squares after the mean was taken out */
    double mean, weight; /* the mean by least squares; its variance is that of a reading divided by
                            the weight */
};

static struct rest rest_at(const struct difference *d, const struct whitened *w, double ratio)
{
    const double rounding = 1e-15;
    double by = ratio - d->ratio, products = w->x1 - by * w->y1;
    double squares = w->xx - 2 * by * w->xy + by * by * w->yy - products * products / w->ones;
    return (struct rest){fmax(squares, rounding * (w->xx + by * by * w->yy)),
                         d->mean_x - by * d->mean_y + products / w->ones, w->ones};
}

/* By least squares the mean explains a part of the sum of squares; its prior distribution shrinks
   that part. */
static double evidence_of_models(const struct difference *d, double ratio)
{
    double other = -INFINITY, null = -INFINITY, half = (double)d->n / 2;
    for (size_t i = 0; i < d->count; i++) {
        const struct whitened *w = &d->models[i].whitened;
        struct rest r = rest_at(d, w, ratio);
        double of_mean = r.mean * r.mean * r.weight, determinant = w->log_determinant / 2;
        null =
            log_sum(null, log(d->models[i].null) - determinant - half * log(r.squares + of_mean));
        for (size_t k = 0; k < WIDTHS; k++) {
            double known = widths[k].scale * widths[k].scale * r.weight;
            other = log_sum(other, log(d->models[i].other * widths[k].weight) - determinant -
                                       log1p(known) / 2 -
                                       half * log(r.squares + of_mean / (1 + known)));
        }
    }
    return other - null;
}

/* Computes how likely each model is given the readings, for any mean; the sum is 1. */
static void model_shares(const struct difference *d, double ratio, double shares[])
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < d->count; i++) {
        const struct whitened *w = &d->models[i].whitened;
        struct rest r = rest_at(d, w, ratio);
        shares[i] = log(d->models[i].null) -
                    (w->log_determinant + log(w->ones) + ((double)d->n - 1) * log(r.squares)) / 2;
        largest = fmax(largest, shares[i]);
    }
    for (size_t i = 0; i < d->count; i++)
        sum += shares[i] = exp(shares[i] - largest);
    for (size_t i = 0; i < d->count; i++)
        shares[i] /= sum;
}

/* Each model gives a t; its tail probability is weighted by how likely the readings are under
   it. */
static double p_value_of_models(const struct difference *d, double ratio)
{
    double shares[DEPENDENCE_MODELS], above = 0, below = 0, degrees = (double)d->n - 1;
    model_shares(d, ratio, shares);
    for (size_t i = 0; i < d->count; i++) {
        struct rest r = rest_at(d, &d->models[i].whitened, ratio);
        double t = r.mean * sqrt(r.weight * degrees / r.squares);
        double tail = student_t_two_sided(t, degrees) / 2;
        above += shares[i] * (t > 0 ? tail : 1 - tail);
        below += shares[i] * (t > 0 ? 1 - tail : tail);
    }
    return fmin(2 * fmin(above, below), 1);
}

/* Answers that the readings give without any model. */
enum plain { PLAIN_ZERO, PLAIN_CERTAIN, PLAIN_OPEN };

/* `t`: of independent readings. */
static enum plain plain_answer(const struct difference *d, double ratio, double *t)
{
    const double rounding = 1e-12;
    double largest = 0, sum = 0, squares = 0, n = (double)d->n;
    for (size_t i = 0; i < d->n; i++) {
        double x = d->a[i] - ratio * d->b[i];
        largest = fmax(largest, fabs(x));
        sum += x;
    }
    if (!(largest > 0))
        return PLAIN_ZERO;
    double mean = sum / n;
    for (size_t i = 0; i < d->n; i++) {
        double x = (d->a[i] - ratio * d->b[i] - mean) / largest;
        squares += x * x;
    }
    double sd = largest * sqrt(squares / (n - 1));
    *t = mean / (sd / sqrt(n));
    return sd > rounding * fabs(mean) ? PLAIN_OPEN : PLAIN_CERTAIN;
}

double difference_evidence(const struct difference *d, double ratio)
{
    double t;
    if (d->n < DIFFERENCE_MIN_READINGS)
        return -INFINITY;
    enum plain plain = plain_answer(d, ratio, &t);
    if (plain != PLAIN_OPEN)
        return plain == PLAIN_ZERO ? -INFINITY : INFINITY;
    return d->dependence == DEPENDENCE_NONE
               ? difference_evidence_of_t(t, (double)d->n - 1, (double)d->n)
               : evidence_of_models(d, ratio);
}

double difference_p_value(const struct difference *d, double ratio)
{
    double t;
    if (d->n < 2)
        return 1;
    enum plain plain = plain_answer(d, ratio, &t);
    if (plain != PLAIN_OPEN)
        return plain == PLAIN_ZERO ? 1 : 0;
    return d->dependence == DEPENDENCE_NONE ? student_t_two_sided(t, (double)d->n - 1)
                                            : p_value_of_models(d, ratio);
}

double difference_inflation(const struct difference *d, double ratio)
{
    double shares[DEPENDENCE_MODELS], sum = 0, t;
    if (d->dependence == DEPENDENCE_NONE || d->n < 2 || plain_answer(d, ratio, &t) != PLAIN_OPEN)
        return 1;
    model_shares(d, ratio, shares);
    for (size_t i = 0; i < d->count; i++)
        sum += shares[i] * (double)d->n / d->models[i].whitened.ones;
    return sum;
}
