/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence that a mean of autocorrelated readings is not 0: Bayes factors, and a test for one
   look. */
#include "stat/compare/difference.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/mean_variance.h"

/* The grid of autocorrelations that the readings may have. */
#define GRID       15
#define GRID_FIRST (-0.5)
#define GRID_STEP  0.1

/* The last autocorrelation of the grid has less weight when there may be any number of looks: it
   explains a large difference as a drift, and each tenth of its weight costs such differences more
   blocks. */
#define LAST_WEIGHT 0.25

/* The prior distribution of the mean: standard deviations, in units of a reading's, and their
   weights. */
static const struct width {
    double scale, weight;
} widths[] = {{0.3, 0.5}, {0.8, 0.3}, {3, 0.1}, {30, 0.1}};
#define WIDTHS (sizeof widths / sizeof *widths)

#define MODEL_CONFIDENCE 0.95 /* confidence at which the wider of two models is chosen */

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
 * Readings made independent by removing their autocorrelation r: x[0] sqrt(1 - r^2), and x[i] - r
 * x[i-1]; a mean m adds m sqrt(1 - r^2) and m (1 - r).
 */
struct whitened {
    double first;   /* 1 - r^2 */
    double squares; /* their sum of squares */
    double weight;  /* weight of the mean: its variance is the variance of one whitened reading
                       divided by this */
    double mean;    /* by least squares */
    double rest;    /* the sum of squares that the mean leaves */
};

static struct whitened whitened_of(const struct moments *m, int place)
{
    double r = GRID_FIRST + GRID_STEP * place, a = 1 - r * r, b = 1 - r;
    double squares = a * m->first * m->first + (m->squares - m->first * m->first) -
                     2 * r * m->products + r * r * (m->squares - m->last * m->last);
    double with_mean = a * m->first + b * ((m->sum - m->first) - r * (m->sum - m->last));
    double weight = a + b * b * (m->n - 1);
    return (struct whitened){a, squares, weight, with_mean / weight,
                             squares - with_mean * with_mean / weight};
}

/* By least squares the mean explains a part of the sum of squares; its prior distribution shrinks
   that part. */
static double evidence_of_model(const struct moments *m)
{
    double other = -INFINITY, null = -INFINITY;
    for (int i = 0; i < GRID; i++) {
        struct whitened w = whitened_of(m, i);
        double likelihood = log(w.first) / 2 + (i == GRID - 1 ? log(LAST_WEIGHT) : 0);
        null = log_sum(null, likelihood - m->n / 2 * log(w.squares));
        for (size_t k = 0; k < WIDTHS; k++) {
            double known = widths[k].scale * widths[k].scale * w.weight / w.first;
            double rest = w.squares - (w.squares - w.rest) * known / (1 + known);
            other = log_sum(other, log(widths[k].weight) + likelihood - log1p(known) / 2 -
                                       m->n / 2 * log(rest));
        }
    }
    return other - null;
}

/* Each autocorrelation gives a t; its tail probability is weighted by how likely the readings are
   under it. */
static double p_value_of_model(const struct moments *m)
{
    double likelihood[GRID], most = -INFINITY, sum = 0, above = 0, below = 0;
    double degrees = m->n - 1;
    for (int i = 0; i < GRID; i++) {
        struct whitened w = whitened_of(m, i);
        likelihood[i] = (log(w.first) - log(w.weight) - degrees * log(w.rest)) / 2;
        most = fmax(most, likelihood[i]);
    }
    for (int i = 0; i < GRID; i++) {
        struct whitened w = whitened_of(m, i);
        double share = exp(likelihood[i] - most), t = w.mean * sqrt(w.weight * degrees / w.rest);
        double tail = student_t_two_sided(t, degrees) / 2;
        sum += share;
        above += share * (t > 0 ? tail : 1 - tail);
        below += share * (t > 0 ? 1 - tail : tail);
    }
    return fmin(2 * fmin(above, below) / sum, 1);
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

/* Answers that the readings give without any model. */
enum plain { PLAIN_ZERO, PLAIN_CERTAIN, PLAIN_OPEN };

static enum plain plain_moments(const double d[], size_t n, struct moments *m)
{
    const double rounding = 1e-12;
    double largest = 0, mean = mean_of(d, n);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(d[i]));
    if (!(largest > 0))
        return PLAIN_ZERO;
    if (!(sqrt(variance_of(d, n, mean)) > rounding * fabs(mean)))
        return PLAIN_CERTAIN;
    *m = moments_of(d, n, largest);
    return PLAIN_OPEN;
}

static double student_t_of(const double d[], size_t n)
{
    double mean = mean_of(d, n);
    return mean / sqrt(variance_of(d, n, mean) / (double)n);
}

double difference_evidence(const double d[], size_t n, enum dependence dependence,
                           struct arena *scratch)
{
    struct moments m;
    if (n < DIFFERENCE_MIN_READINGS)
        return -INFINITY;
    enum plain plain = plain_moments(d, n, &m);
    if (plain != PLAIN_OPEN)
        return plain == PLAIN_ZERO ? -INFINITY : INFINITY;
    if (dependence == DEPENDENCE_NONE)
        return difference_evidence_of_t(student_t_of(d, n), (double)n - 1, (double)n);
    double evidence = evidence_of_model(&m);
    if (n < DIFFERENCE_MODEL_READINGS)
        return evidence;
    double mean = mean_of(d, n), variance = variance_of(d, n, mean);
    struct mean_variance v = mean_variance_of(d, n, MODEL_CONFIDENCE, scratch);
    double independent = fmin(variance / v.value, (double)n);
    double of_t = difference_evidence_of_t(mean / sqrt(v.value), v.degrees, independent);
    return fmin(evidence, of_t);
}

double difference_p_value(const double d[], size_t n, enum dependence dependence,
                          struct arena *scratch)
{
    struct moments m;
    if (n < 2)
        return 1;
    enum plain plain = plain_moments(d, n, &m);
    if (plain != PLAIN_OPEN)
        return plain == PLAIN_ZERO ? 1 : 0;
    if (dependence == DEPENDENCE_NONE)
        return student_t_two_sided(student_t_of(d, n), (double)n - 1);
    double p = p_value_of_model(&m);
    if (n < DIFFERENCE_MODEL_READINGS)
        return p;
    struct mean_variance v = mean_variance_of(d, n, MODEL_CONFIDENCE, scratch);
    return fmax(p, student_t_two_sided(mean_of(d, n) / sqrt(v.value), v.degrees));
}
