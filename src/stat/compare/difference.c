/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether the mean of autocorrelated readings is 0: with Bayes factors that stay valid if
   the verdict is asked for again and again, and with a test for a single verdict. */
#include "stat/compare/difference.h"

#include <math.h>
#include <stdbool.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"

/* ---- dependence of neighbours: sums of autoregressions, and Kalman's filter for them ---- */

/*
 * Models of how readings depend on earlier ones, and what remains of a series when that
 * dependence is removed.
 *
 * A model is a sum of first-order autoregressions and of noise, with a total variance of 1:
 *
 *   - one autoregression, with a coefficient of -.5 to .98;
 *   - long memory: six of them, whose time constants of 1 to 1,024 readings have variances that
 *     fall as tau^(2d-1), as in a fractional noise of memory d (C. W. J. Granger, "Long memory
 *     relationships and the aggregation of dynamic models", 1980), d = .1 to .45;
 *   - levels that last 10 to 300 readings, under noise.
 *
 * Each model has two prior weights: one for readings whose mean is 0, and one for readings whose
 * mean is not. Readings without a difference may have any memory. For readings with a difference,
 * nearly independent models have the largest weights, because there a difference is found
 * soonest. A few readings cannot show a long memory, and to allow for it would hide every
 * difference: the weights of such models rise smoothly with the number of readings.
 */

#define DEPENDENCE_COMPONENTS 6

struct dependence_model {
    double null, other; /* prior weights of the model: if the mean is 0, and if it is not */
    double coefficient[DEPENDENCE_COMPONENTS], variance[DEPENDENCE_COMPONENTS];
    size_t count; /* number of autoregressions */
    double noise; /* variance of the noise */
};

/* Coefficients of the autoregressions, -.5 to .9. The last coefficient explains a large difference
   as a drift; each tenth of its weight delays the detection of such differences by more
   readings. */
#define GRID        15
#define GRID_FIRST  (-0.5)
#define GRID_STEP   0.1
#define LAST_WEIGHT 0.25

/* Factors of the weights for readings with a difference: one for nearly independent models, one for
   models with memory. Measured: larger ratios of the two raise the rate of false differences of
   independent readings above .05. */
#define NEARLY_INDEPENDENT 0.15 /* largest absolute autocorrelation */
#define INDEPENDENT_FACTOR 8
#define MEMORY_FACTOR      0.2

/* A model of slow autoregressions has its full weight from WALK_READINGS readings on, a model of
   long memory from MEMORY_READINGS on. */
#define WALK_READINGS   25.0
#define MEMORY_READINGS 100.0

static const struct walk {
    double coefficient, weight;
} walks[] = {{0.95, 0.5}, {0.98, 0.25}};

static const double memories[] = {0.1, 0.2, 0.3, 0.4, 0.45};
#define MEMORY_WEIGHT 1.0

/* Models of levels that last for a while: a slow autoregression under noise. */
static const struct levels {
    double coefficient, noise, weight;
} levels[] = {
    {0.9, 0.1, 0.3},    {0.9, 0.4, 0.3},    {0.97, 0.1, 0.02},  {0.97, 0.3, 0.02},
    {0.97, 0.6, 0.02},  {0.97, 0.9, 0.02},  {0.99, 0.1, 0.02},  {0.99, 0.3, 0.02},
    {0.99, 0.6, 0.02},  {0.99, 0.9, 0.02},  {0.997, 0.1, 0.02}, {0.997, 0.3, 0.02},
    {0.997, 0.6, 0.02}, {0.997, 0.9, 0.02},
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
_Static_assert(GRID + COUNT(walks) + COUNT(memories) + COUNT(levels) <= DEPENDENCE_MODELS,
               "all models have room");

static struct dependence_model autoregression(double coefficient, double noise, double weight)
{
    double factor = fabs(coefficient) < NEARLY_INDEPENDENT ? INDEPENDENT_FACTOR : 1;
    return (struct dependence_model){.null = weight,
                                     .other = weight * factor,
                                     .coefficient = {coefficient},
                                     .variance = {1 - noise},
                                     .count = 1,
                                     .noise = noise};
}

/* Returns the model of long memory d. Its noise is chosen so that neighbours correlate as in
   fractional Gaussian noise. */
static struct dependence_model long_memory(double d, double weight)
{
    struct dependence_model m = {.null = weight, .other = weight, .count = DEPENDENCE_COMPONENTS};
    double sum = 0, neighbours = 0;
    for (size_t i = 0; i < m.count; i++) {
        double constant = exp2(2 * (double)i); /* time constant: 1, 4, 16 ... readings */
        m.coefficient[i] = exp(-1 / constant);
        m.variance[i] = pow(constant, 2 * d - 1);
        sum += m.variance[i];
        neighbours += m.variance[i] * m.coefficient[i];
    }
    double all = fmin((exp2(2 * d) - 1) / neighbours, 1 / sum);
    for (size_t i = 0; i < m.count; i++)
        m.variance[i] *= all;
    m.noise = fmax(1 - all * sum, 0);
    return m;
}

/* Fills in the models for n readings. Returns their number. */
static size_t dependence_models(struct dependence_model to[DEPENDENCE_MODELS], size_t n)
{
    double readings = (double)n, walking = fmin(1, pow(readings / WALK_READINGS, 3));
    double remembering = fmin(1, pow(readings / MEMORY_READINGS, 2));
    size_t count = 0;
    for (int i = 0; i < GRID; i++)
        to[count++] =
            autoregression(GRID_FIRST + GRID_STEP * i, 0, i == GRID - 1 ? LAST_WEIGHT : 1);
    size_t plain = count;
    for (size_t i = 0; i < COUNT(walks); i++)
        to[count++] = autoregression(walks[i].coefficient, 0, walks[i].weight * walking);
    for (size_t i = 0; i < COUNT(memories); i++)
        to[count++] = long_memory(memories[i], MEMORY_WEIGHT * remembering);
    for (size_t i = 0; i < COUNT(levels); i++)
        to[count++] =
            autoregression(levels[i].coefficient, levels[i].noise, levels[i].weight * remembering);
    double null = 0, other = 0;
    for (size_t i = 0; i < count; i++) {
        to[i].other *= i < plain ? 1 : MEMORY_FACTOR;
        null += to[i].null;
        other += to[i].other;
    }
    for (size_t i = 0; i < count; i++) {
        to[i].null /= null;
        to[i].other /= other;
    }
    return count;
}

/* ---- Kalman's filter ---- */

struct filter {
    const struct dependence_model *model;
    /* covariance of the errors of the estimated states */
    double covariance[DEPENDENCE_COMPONENTS][DEPENDENCE_COMPONENTS];
    double gain[DEPENDENCE_COMPONENTS];
    double error, log_error; /* `error`: variance of the next reading's prediction error */
    bool steady;             /* the covariance has converged and no longer changes */
};

/* Advances the filter by one reading: computes the variance of its prediction error, and the gain,
   which says for each state what share of the error corrects it. */
static void filter_step(struct filter *f)
{
    const double settled = 1e-13;
    const struct dependence_model *m = f->model;
    double row[DEPENDENCE_COMPONENTS] = {0}, before = f->error;
    if (f->steady)
        return;
    f->error = m->noise;
    for (size_t i = 0; i < m->count; i++) {
        for (size_t k = 0; k < m->count; k++)
            row[i] += f->covariance[i][k];
        f->error += row[i];
    }
    for (size_t i = 0; i < m->count; i++) {
        f->gain[i] = m->coefficient[i] * row[i] / f->error;
        for (size_t k = 0; k < m->count; k++)
            f->covariance[i][k] = m->coefficient[i] * m->coefficient[k] *
                                  (f->covariance[i][k] - row[i] * row[k] / f->error);
        f->covariance[i][i] += m->variance[i] * (1 - m->coefficient[i] * m->coefficient[i]);
    }
    f->log_error = log(f->error);
    f->steady = fabs(before - f->error) < settled * f->error;
}

/* Returns the reading minus its prediction, and updates the states. */
static double innovation(const struct filter *f, double state[], double reading)
{
    for (size_t i = 0; i < f->model->count; i++)
        reading -= state[i];
    for (size_t i = 0; i < f->model->count; i++)
        state[i] = f->model->coefficient[i] * state[i] + f->gain[i] * reading;
    return reading;
}

/* Whitens x[0..n) and y[0..n), in O(n): the result sums the filter's prediction errors. */
static struct whitened dependence_whiten(const struct dependence_model *model, const double x[],
                                         const double y[], size_t n)
{
    struct filter f = {.model = model};
    struct whitened w = {0};
    double sx[DEPENDENCE_COMPONENTS] = {0}, sy[DEPENDENCE_COMPONENTS] = {0};
    double s1[DEPENDENCE_COMPONENTS] = {0};
    for (size_t i = 0; i < model->count; i++)
        f.covariance[i][i] = model->variance[i];
    for (size_t t = 0; t < n; t++) {
        filter_step(&f);
        double vx = innovation(&f, sx, x[t]), vy = innovation(&f, sy, y[t]);
        double v1 = innovation(&f, s1, 1);
        double weight = 1 / f.error;
        w.xx += vx * vx * weight;
        w.xy += vx * vy * weight;
        w.yy += vy * vy * weight;
        w.x1 += vx * v1 * weight;
        w.y1 += vy * v1 * weight;
        w.ones += v1 * v1 * weight;
        w.log_determinant += f.log_error;
    }
    return w;
}

/* ---- the difference ---- */

/* Prior distribution of the mean, a mixture of normal distributions: standard deviations, in units
   of a reading's standard deviation, and weights. */
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

/* Subtracts from each series its mean, and stores the mean of the differences separately, so that
   no large numbers cancel. */
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

/* What remains of the differences at a ratio after a model is removed from them. */
struct rest {
    double squares; /* sum of squared deviations from the mean */
    /* the mean by least squares; its variance is that of a reading divided by `weight` */
    double mean, weight;
};

static struct rest rest_at(const struct difference *d, const struct whitened *w, double ratio)
{
    const double rounding = 1e-15;
    double by = ratio - d->ratio, products = w->x1 - by * w->y1;
    double squares = w->xx - 2 * by * w->xy + by * by * w->yy - products * products / w->ones;
    return (struct rest){fmax(squares, rounding * (w->xx + by * by * w->yy)),
                         d->mean_x - by * d->mean_y + products / w->ones, w->ones};
}

/* Returns the log of the Bayes factor. By least squares the mean explains a part of the sum of
   squares; the prior distribution of the mean shrinks that part. */
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

/* Computes the probability of each model given the readings, with an unknown mean. The sum is 1. */
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

/* Each model gives a t; its tail probability is weighted by the model's probability. */
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

/* Cases in which every model gives the same answer, and PLAIN_OPEN for all others. */
enum plain { PLAIN_ZERO, PLAIN_CERTAIN, PLAIN_OPEN };

/* Sets *t to Student's t of the differences as if they were independent. */
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
