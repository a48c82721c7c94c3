/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of autoregressions, and Kalman's filter for them. */
#include "stat/compare/internal.h"

#include <math.h>
#include <stdbool.h>

/* Autocorrelations from -.5 to .9; the last one explains a large difference as a drift, and each
   tenth of its weight costs such differences more readings. */
#define GRID        15
#define GRID_FIRST  (-0.5)
#define GRID_STEP   0.1
#define LAST_WEIGHT 0.25

/* How much likelier the nearly independent models are where there is a difference, and those with
   memory. Measured: more of it brings false differences of independent readings above .05. */
#define NEARLY_INDEPENDENT 0.15 /* autocorrelation at most */
#define INDEPENDENT_FACTOR 8
#define MEMORY_FACTOR      0.2

/* Numbers of readings from which on the models have all of their weight. */
#define WALK_READINGS   25.0
#define MEMORY_READINGS 100.0

static const struct walk {
    double coefficient, weight;
} walks[] = {{0.95, 0.5}, {0.98, 0.25}};

static const double memories[] = {0.1, 0.2, 0.3, 0.4, 0.45};
#define MEMORY_WEIGHT 1.0

/* Levels that last, under noise. */
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

/* The noise is what lets neighbours correlate as those of fractional Gaussian noise do. */
static struct dependence_model long_memory(double d, double weight)
{
    struct dependence_model m = {.null = weight, .other = weight, .count = DEPENDENCE_COMPONENTS};
    double sum = 0, neighbours = 0;
    for (size_t i = 0; i < m.count; i++) {
        double constant = exp2(2 * (double)i); /* 1, 4, 16 ... readings */
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

size_t dependence_models(struct dependence_model to[DEPENDENCE_MODELS], size_t n)
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
    /* covariance of the errors of the states */
    double covariance[DEPENDENCE_COMPONENTS][DEPENDENCE_COMPONENTS];
    double gain[DEPENDENCE_COMPONENTS];
    double error, log_error; /* variance of the next reading's error */
    bool steady;             /* the covariance no longer changes */
};

/* Advances the filter by one reading: computes the variance of its prediction error, and the share
   of the error that each state takes over. */
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

/* Returns the reading less its prediction, and predicts the next one. */
static double innovation(const struct filter *f, double state[], double reading)
{
    for (size_t i = 0; i < f->model->count; i++)
        reading -= state[i];
    for (size_t i = 0; i < f->model->count; i++)
        state[i] = f->model->coefficient[i] * state[i] + f->gain[i] * reading;
    return reading;
}

struct whitened dependence_whiten(const struct dependence_model *model, const double x[],
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
