/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayes factors of a mean of autocorrelated readings. */
#include "stat/compare/difference.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/mean_variance.h"

/* Autocorrelations that the readings may have. */
#define GRID       14
#define GRID_FIRST (-0.5)
#define GRID_STEP  0.1

/* The mean's distribution: standard deviations, in those of a reading, and their weights. */
static const struct width {
    double scale, weight;
} widths[] = {{0.3, 0.5}, {0.8, 0.3}, {3, 0.1}, {30, 0.1}};
#define WIDTHS (sizeof widths / sizeof *widths)

#define MODEL_CONFIDENCE 0.95 /* at which the wider of two models is chosen */

size_t difference_scratch_bytes(size_t n)
{
    return mean_variance_scratch_bytes(n);
}

static double log_sum(double a, double b)
{
    double larger = fmax(a, b), smaller = fmin(a, b);
    return isinf(larger) ? larger : larger + log1p(exp(smaller - larger));
}

/* What the likelihood of an autoregression of order 1 needs. */
struct moments {
    double n, sum, squares, products; /* products of neighbours */
    double first, last;
};

static struct moments moments_of(const double d[], size_t n, double scale)
{
    struct moments m = {.n = (double)n, .first = d[0] / scale, .last = d[n - 1] / scale};
    for (size_t i = 0; i < n; i++) {
        double x = d[i] / scale;
        m.sum += x;
        m.squares += x * x;
        if (i > 0)
            m.products += x * (d[i - 1] / scale);
    }
    return m;
}

/*
 * Readings that an autocorrelation r makes independent: x[0] sqrt(1 - r^2), and x[i] - r x[i-1]; a
 * mean m adds m sqrt(1 - r^2) and m (1 - r). By least squares the mean explains a part of their sum
 * of squares, which its prior distribution shrinks.
 */
static double evidence_of_model(const struct moments *m)
{
    double other = -INFINITY, null = -INFINITY;
    for (int i = 0; i < GRID; i++) {
        double r = GRID_FIRST + GRID_STEP * i, a = 1 - r * r, b = 1 - r;
        double squares = a * m->first * m->first + (m->squares - m->first * m->first) -
                         2 * r * m->products + r * r * (m->squares - m->last * m->last);
        double with_mean = a * m->first + b * ((m->sum - m->first) - r * (m->sum - m->last));
        double weight = a + b * b * (m->n - 1);
        double explained = with_mean * with_mean / weight, likelihood = log(a) / 2;
        null = log_sum(null, likelihood - m->n / 2 * log(squares));
        for (size_t k = 0; k < WIDTHS; k++) {
            double known = widths[k].scale * widths[k].scale * weight / a;
            double rest = squares - explained * known / (1 + known);
            other = log_sum(other, log(widths[k].weight) + likelihood - log1p(known) / 2 -
                                       m->n / 2 * log(rest));
        }
    }
    return other - null;
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

double difference_evidence(const double d[], size_t n, struct arena *scratch)
{
    if (n < DIFFERENCE_MIN_READINGS)
        return -INFINITY;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(d[i]));
    if (!(largest > 0))
        return -INFINITY;
    double mean = mean_of(d, n), variance = variance_of(d, n, mean);
    const double rounding = 1e-12;
    if (!(sqrt(variance) > rounding * fabs(mean)))
        return INFINITY;
    struct moments m = moments_of(d, n, largest);
    double evidence = evidence_of_model(&m);
    if (n < DIFFERENCE_MODEL_READINGS)
        return evidence;
    struct mean_variance v = mean_variance_of(d, n, MODEL_CONFIDENCE, scratch);
    double independent = fmin(variance / v.value, (double)n);
    double of_t = difference_evidence_of_t(mean / sqrt(v.value), v.degrees, independent);
    return fmin(evidence, of_t);
}
