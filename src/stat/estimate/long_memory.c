/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the periodogram, and fits models with and without long memory by Whittle's
   likelihood. */
#include "stat/estimate/long_memory.h"

#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/periodogram.h"

/* ---- the periodogram: Goertzel's recursion, for several frequencies at a time ---- */

/* Each step of the recursion depends on the one before, so several frequencies are computed at
   once. */
#define TOGETHER 8

size_t periodogram_count(size_t n)
{
    return n ? (n - 1) / 2 : 0;
}

void periodogram_at(const double x[], size_t n, const double cosine[], size_t count, double power[])
{
    const double mean = mean_of(x, n);
    for (size_t j = 0; j < count; j += TOGETHER) {
        double twice[TOGETHER], before[TOGETHER] = {0}, last[TOGETHER] = {0};
        for (size_t k = 0; k < TOGETHER; k++)
            twice[k] = 2 * cosine[j + k < count ? j + k : j];
        for (size_t t = 0; t < n; t++) {
            const double value = x[t] - mean;
            for (size_t k = 0; k < TOGETHER; k++) {
                double now = value + twice[k] * last[k] - before[k];
                before[k] = last[k];
                last[k] = now;
            }
        }
        for (size_t k = 0; k < TOGETHER && j + k < count; k++)
            power[j + k] =
                (last[k] * last[k] + before[k] * before[k] - twice[k] * last[k] * before[k]) /
                (double)n;
    }
}

void periodogram_of(const double x[], size_t n, double power[], double cosine[])
{
    const size_t count = periodogram_count(n);
    for (size_t j = 0; j < count; j++)
        cosine[j] = cos(2 * M_PI * (double)(j + 1) / (double)n);
    periodogram_at(x, n, cosine, count, power);
}

const double *periodogram_readings(const double x[], size_t *n, double room[])
{
    size_t size = (*n + PERIODOGRAM_MAX_READINGS - 1) / PERIODOGRAM_MAX_READINGS;
    if (size < 2)
        return x;
    *n /= size;
    for (size_t i = 0; i < *n; i++)
        room[i] = mean_of(x + i * size, size);
    return room;
}

/* ---- long memory ---- */

#define ORDERS_SHORT   3 /* highest autoregressive order of the models without long memory */
#define ORDERS_LONG    2 /* highest autoregressive order of the models with long memory */
#define STEPS          24
#define FAR_NATS       20.0
#define MAX_AVERAGE    0.96
#define PRECISION      1e-3
#define MIN_DEGREES    3.0
#define FEW_READINGS   350
#define FULL_NATS      2.0
#define DOUBT_NATS     2.0
#define DOUBT_READINGS 500
/* long memory that is merely plausible is not reported for readings with at most this `normality`
 */
#define DOUBT_NORMAL 0.5

struct spectrum {
    size_t n, count;              /* number of readings; number of frequencies below Nyquist's */
    double *power, *log_sine;     /* at each frequency l: periodogram; ln(2 sin(l / 2)) */
    double *cosine[ORDERS_SHORT]; /* cos(kl), k = 1.. */
    double log_sine_sum;
};

struct model {
    double criterion; /* log likelihood of the model minus the penalty for its parameters */
    double d;
    double average; /* coefficient of the moving average */
    double noise;   /* s2, variance of the noise */
    double rest;    /* (1 - sum of the autoregression's coefficients) / (1 + average) */
};

size_t long_memory_scratch_bytes(size_t n)
{
    size_t readings = n < PERIODOGRAM_MAX_READINGS ? n : PERIODOGRAM_MAX_READINGS;
    return arena_bytes(readings, sizeof(double)) +
           (2 + ORDERS_SHORT) * arena_bytes(periodogram_count(readings), sizeof(double));
}

static struct spectrum spectrum_of(const double x[], size_t n, struct arena *scratch)
{
    struct spectrum s = {.n = n, .count = periodogram_count(n)};
    s.power = arena_alloc(scratch, s.count, sizeof(double));
    s.log_sine = arena_alloc(scratch, s.count, sizeof(double));
    for (size_t k = 0; k < ORDERS_SHORT; k++)
        s.cosine[k] = arena_alloc(scratch, s.count, sizeof(double));
    periodogram_of(x, n, s.power, s.cosine[0]);
    for (size_t j = 0; j < s.count; j++) {
        double angle = 2 * M_PI * (double)(j + 1) / (double)n;
        s.log_sine[j] = log(2 * sin(angle / 2));
        s.log_sine_sum += s.log_sine[j];
        for (size_t k = 1; k < ORDERS_SHORT; k++)
            s.cosine[k][j] = cos((double)(k + 1) * angle);
    }
    return s;
}

/* The coefficients of an autoregression, and the variance of its prediction error. */
struct prediction {
    double coefficient[ORDERS_SHORT];
    double error;
};

/* Levinson's step from `order` - 1 to `order`, for autocovariances r[0..order]. */
static void raise_order(struct prediction *p, const double r[], size_t order)
{
    double before[ORDERS_SHORT];
    memcpy(before, p->coefficient, sizeof before);
    double reflection = r[order];
    for (size_t i = 0; i + 1 < order; i++)
        reflection -= before[i] * r[order - 1 - i];
    reflection /= p->error;
    for (size_t i = 0; i + 1 < order; i++)
        p->coefficient[i] = before[i] - reflection * before[order - 2 - i];
    p->coefficient[order - 1] = reflection;
    p->error *= 1 - reflection * reflection;
}

/*
 * Returns the likeliest model of the orders 0..max for this d and moving average. Over all
 * frequencies from 0 to 2 pi the logs of the autoregressive factor and of the moving average factor
 * are 0 on average. Their values at 0 and Nyquist's frequency, which the periodogram leaves out,
 * are subtracted.
 */
static struct model model_at(const struct spectrum *s, double d, double average, size_t max)
{
    double r[ORDERS_SHORT + 1] = {0};
    for (size_t j = 0; j < s->count; j++) {
        double power = s->power[j];
        if (d > 0)
            power *= exp(2 * d * s->log_sine[j]);
        if (average != 0)
            power /= 1 + average * average + 2 * average * s->cosine[0][j];
        r[0] += power;
        for (size_t k = 0; k < max; k++)
            r[k + 1] += power * s->cosine[k][j];
    }
    struct model best = {.criterion = -INFINITY};
    struct prediction p = {.error = r[0]};
    double count = (double)s->count;
    const double of_average = -log(1 + average) - (s->n % 2 ? 0 : log(1 - average));
    for (size_t order = 0; order <= max && p.error > 0; order++) {
        if (order > 0)
            raise_order(&p, r, order);
        if (!(p.error > 0))
            break;
        double at_zero = 1, at_nyquist = 1;
        for (size_t i = 0; i < order; i++) {
            at_zero -= p.coefficient[i];
            at_nyquist -= i % 2 ? p.coefficient[i] : -p.coefficient[i];
        }
        double log_shape = log(fabs(at_zero)) + (s->n % 2 ? 0 : log(fabs(at_nyquist))) -
                           2 * d * s->log_sine_sum + of_average;
        double parameters = (double)order + (d > 0) + (average != 0);
        double criterion =
            -count * log(p.error / count) - log_shape - parameters * log((double)s->n) / 2;
        if (criterion > best.criterion)
            best = (struct model){criterion, d, average, p.error / count, at_zero / (1 + average)};
    }
    return best;
}

static void take_likelier(struct model *best, const struct spectrum *s, double d, double average)
{
    struct model m = model_at(s, d, average, d > 0 ? ORDERS_LONG : ORDERS_SHORT);
    if (m.criterion > best->criterion)
        *best = m;
}

/* Tries values of d in equal steps over its whole range. */
static void scan_memory(struct model *best, const struct spectrum *s)
{
    for (int i = 1; i <= STEPS; i++)
        take_likelier(best, s, LONG_MEMORY_MAX_D / STEPS * i, best->average);
}

static void scan_average(struct model *best, const struct spectrum *s)
{
    const double d = best->d;
    for (int i = 0; i <= STEPS; i++)
        take_likelier(best, s, d, MAX_AVERAGE * (2.0 * i / STEPS - 1));
}

/* Refines the best model of a scan: halves the steps around it until they are below PRECISION. A
   model without a moving average, or without long memory, stays without it. */
static void narrow(struct model *best, const struct spectrum *s)
{
    double step = LONG_MEMORY_MAX_D / STEPS, average_step = 2 * MAX_AVERAGE / STEPS;
    while (step > PRECISION) {
        const struct model middle = *best;
        step /= 2;
        average_step /= 2;
        if (middle.d > 0) {
            take_likelier(best, s, fmax(middle.d - step, step), middle.average);
            take_likelier(best, s, fmin(middle.d + step, LONG_MEMORY_MAX_D), middle.average);
        }
        if (middle.average != 0) {
            take_likelier(best, s, best->d, fmax(middle.average - average_step, -MAX_AVERAGE));
            take_likelier(best, s, best->d, fmin(middle.average + average_step, MAX_AVERAGE));
        }
    }
}

/* A moving average is tried only if it can still change the decision: its gain is at most FAR_NATS.
 */
static struct model likeliest_with_memory(const struct spectrum *s, double without)
{
    struct model best = {.criterion = -INFINITY};
    scan_memory(&best, s);
    narrow(&best, s);
    if (best.criterion < without - FAR_NATS)
        return best;
    scan_average(&best, s);
    if (best.average != 0) {
        scan_memory(&best, s);
        narrow(&best, s);
    }
    return best;
}

static struct model likeliest_without(const struct spectrum *s)
{
    struct model best = {.criterion = -INFINITY};
    take_likelier(&best, s, 0, 0);
    scan_average(&best, s);
    narrow(&best, s);
    return best;
}

/* Returns the variance of the difference between the means of n readings and of the next `times` n,
   over the variance of the first mean. */
static double difference_factor(double d, double times)
{
    double power = 2 * d + 1;
    return 1 + pow(times, 2 * d - 1) - (pow(1 + times, power) - 1 - pow(times, power)) / times;
}

/* Returns the factor by which `variance` in struct long_memory exceeds the variance of the mean. */
static double claimed_share(double d)
{
    return d < LONG_MEMORY_NO_MEAN ? 1 : difference_factor(d, LONG_MEMORY_STRETCHES);
}

static double variance_of_mean(const struct model *m, size_t n)
{
    double density = m->noise / (2 * M_PI * m->rest * m->rest);
    return pow((double)n, 2 * m->d - 1) * density * 2 * tgamma(1 - 2 * m->d) * sin(M_PI * m->d) /
           (m->d * (1 + 2 * m->d));
}

/* Returns the degrees of freedom of the variance, from the standard error of d. */
static double degrees_of(const struct spectrum *s, double d, double average)
{
    double step = 1 / sqrt((double)s->n);
    double middle = fmin(fmax(d, step), LONG_MEMORY_MAX_D - step);
    double fall = 2 * model_at(s, middle, average, ORDERS_LONG).criterion -
                  model_at(s, middle - step, average, ORDERS_LONG).criterion -
                  model_at(s, middle + step, average, ORDERS_LONG).criterion;
    double slope = 2 * log((double)s->n);
    double degrees = 2 * (fall / (step * step)) / (slope * slope);
    return fmax(degrees, MIN_DEGREES);
}

struct long_memory long_memory_of(const double x[], size_t n, double normality,
                                  struct arena *scratch)
{
    struct long_memory none = {0};
    if (n < LONG_MEMORY_MIN_READINGS)
        return none;
    size_t mark = arena_mark(scratch);
    size_t room = n < PERIODOGRAM_MAX_READINGS ? n : PERIODOGRAM_MAX_READINGS;
    x = periodogram_readings(x, &n, arena_alloc(scratch, room, sizeof(double)));
    struct spectrum s = spectrum_of(x, n, scratch);
    struct model brief = likeliest_without(&s),
                 lasting = likeliest_with_memory(&s, brief.criterion);
    struct long_memory m = none;
    double few = FEW_READINGS / (double)n, better = lasting.criterion - brief.criterion;
    double evidence = (normality * better - few * few) / FULL_NATS;
    double doubt = DOUBT_NATS * fmin(DOUBT_READINGS / (double)n, 1);
    if (evidence > 0 || (better > -doubt && normality > DOUBT_NORMAL))
        m = (struct long_memory){
            lasting.d, claimed_share(lasting.d) * variance_of_mean(&lasting, n),
            degrees_of(&s, lasting.d, lasting.average), fmin(fmax(evidence, 0), 1)};
    arena_reset(scratch, mark);
    return m;
}

double long_memory_next_factor(double d)
{
    return difference_factor(d, 1) / claimed_share(d);
}

/* This is the integral for the sum of k readings, whose variance grows as k^(2d+1): twice the
   integral of t^(2d+1) (1 - t), minus that of t (1 - t), over 0 to 1. */
double long_memory_wander_factor(double d)
{
    const double power = 2 * d + 2;
    return (2 / (power * (power + 1)) - 1.0 / 6) / claimed_share(d);
}
