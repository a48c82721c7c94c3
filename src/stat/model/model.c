/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales points, fits a method to them, and converts its answers back to the user's units. */
#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/model/internal.h"

/* ---- checks of the points ---- */

/* A column depends on its predecessors when its remainder, after these are subtracted, is below
   this share of its length. */
#define DEPENDENT 1e-8

/* Between these limits fourth powers neither overflow nor underflow. */
#define SMALLEST 1e-60
#define LARGEST  1e60

/* Writes a factor's name for a message into `text`: its own name, or "factor 3". Returns `text`. */
static const char *points_factor_name(const struct model_points *p, size_t factor,
                                      char text[static POINTS_NAME_BYTES])
{
    if (p->factor)
        snprintf(text, POINTS_NAME_BYTES, "%s", p->factor[factor]);
    else
        snprintf(text, POINTS_NAME_BYTES, "factor %zu", factor + 1);
    return text;
}

static int points_check_value(double value, bool logarithmic, const char *name, struct err *e)
{
    if (!isfinite(value))
        return err_set(e, ERR_USAGE, "%s is not a finite number: correct or remove it", name);
    if (value != 0 && !(fabs(value) >= SMALLEST && fabs(value) <= LARGEST))
        return err_set(e, ERR_USAGE, "%s is %g, outside %g to %g: change its unit", name, value,
                       SMALLEST, LARGEST);
    if (logarithmic && value <= 0)
        return err_set(e, ERR_USAGE,
                       "%s is %g, which has no place on a logarithmic axis: take it on its own "
                       "axis, or remove the point",
                       name, value);
    return 0;
}

int points_check_values(const struct model_points *p, const struct model_options *options,
                        struct err *e)
{
    char name[POINTS_NAME_BYTES];
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = 0; j < p->dimensions; j++) {
            bool logarithmic = options->log_factor && options->log_factor[j];
            if (points_check_value(p->at[i * p->dimensions + j], logarithmic,
                                   points_factor_name(p, j, name), e))
                return err_context(e, "point %zu", i + 1);
        }
        if (points_check_value(p->value[i], options->log_response,
                               p->response ? p->response : "the response", e))
            return err_context(e, "point %zu", i + 1);
    }
    return 0;
}

/* A point with its index, for sorting. */
struct numbered {
    const double *at;
    size_t dimensions, number;
};

static int compare_points(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    for (size_t j = 0; j < x->dimensions; j++)
        if (x->at[j] != y->at[j])
            return x->at[j] < y->at[j] ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int points_check_distinct(const struct model_points *p, struct err *e)
{
    struct numbered *sorted = calloc(p->n + 1, sizeof *sorted);
    if (!sorted)
        return err_no_memory(e, "%zu points", p->n);
    for (size_t i = 0; i < p->n; i++)
        sorted[i] = (struct numbered){p->at + i * p->dimensions, p->dimensions, i};
    qsort(sorted, p->n, sizeof *sorted, compare_points);
    int result = 0;
    for (size_t i = 1; i < p->n && result == 0; i++) {
        size_t j = 0;
        while (j < p->dimensions && sorted[i].at[j] == sorted[i - 1].at[j])
            j++;
        if (j == p->dimensions)
            result = err_set(e, ERR_USAGE,
                             "points %zu and %zu have the same factors: put their runs together, "
                             "as this method goes through every point",
                             sorted[i - 1].number + 1, sorted[i].number + 1);
    }
    free(sorted);
    return result;
}

/* Subtracts from the column its projection on `unit`. */
static void remove_along(double column[], const double unit[], size_t n)
{
    double along = 0;
    for (size_t i = 0; i < n; i++)
        along += column[i] * unit[i];
    for (size_t i = 0; i < n; i++)
        column[i] -= along * unit[i];
}

static double divide_by_length(double column[], size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += column[i] * column[i];
    for (size_t i = 0; i < n && squares > 0; i++)
        column[i] /= sqrt(squares);
    return sqrt(squares);
}

static void copy_centred(const struct model_points *p, size_t factor, double column[])
{
    double mean = 0, largest = 0;
    for (size_t i = 0; i < p->n; i++)
        mean += p->at[i * p->dimensions + factor] / (double)p->n;
    for (size_t i = 0; i < p->n; i++) {
        column[i] = p->at[i * p->dimensions + factor] - mean;
        largest = fmax(largest, fabs(column[i]));
    }
    for (size_t i = 0; i < p->n && largest > 0; i++)
        column[i] /= largest;
}

static bool is_constant(const struct model_points *p, size_t factor)
{
    for (size_t i = 1; i < p->n; i++)
        if (p->at[i * p->dimensions + factor] != p->at[factor])
            return false;
    return true;
}

/* Checks that scaled points meet the method's requirements. ERR_USAGE; ERR_MACHINE: no memory. */
static int points_check_rank(const struct model_points *p, struct err *e)
{
    char name[POINTS_NAME_BYTES];
    double *unit = calloc(p->n * p->dimensions + 1, sizeof *unit);
    if (!unit)
        return err_no_memory(e, "%zu points", p->n);
    int result = 0;
    for (size_t j = 0; j < p->dimensions && result == 0; j++) {
        double *column = unit + j * p->n;
        copy_centred(p, j, column);
        divide_by_length(column, p->n);
        for (size_t k = 0; k < j; k++)
            remove_along(column, unit + k * p->n, p->n);
        double left = divide_by_length(column, p->n);
        if (is_constant(p, j))
            result = err_set(e, ERR_USAGE,
                             "%s is the same at every point: leave it out, as nothing can be said "
                             "about its effect",
                             points_factor_name(p, j, name));
        else if (!(left > DEPENDENT))
            result = err_set(e, ERR_USAGE,
                             "%s follows from the factors before it (a linear combination of "
                             "them): leave one of them out",
                             points_factor_name(p, j, name));
    }
    free(unit);
    return result;
}

/* ---- fits and answers ---- */

struct model {
    const struct model_method *method;
    void *state;                /* the state that the method's `fit` returned */
    struct model_points points; /* the points, scaled and without names */
    bool log_factor[MODEL_MAX_DIMENSIONS];
    bool log_response;
    /* ranges of the factors, scaled */
    double low[MODEL_MAX_DIMENSIONS], high[MODEL_MAX_DIMENSIONS];
    double room[]; /* memory to which `points` refers */
};

static pthread_once_t library_quiet = PTHREAD_ONCE_INIT;

/* Switches off GSL's error handler, which would abort the program. GSL's functions return errors as
   well. */
static void make_library_quiet(void)
{
    gsl_set_error_handler_off();
}

static double scaled(double value, bool logarithmic)
{
    return logarithmic ? log(value) : value;
}

static struct model *copy_scaled(const struct model_points *p, const struct model_options *options)
{
    size_t d = p->dimensions;
    struct model *m = calloc(1, sizeof *m + p->n * (d + 1) * sizeof(double));
    if (!m)
        return NULL;
    double *at = m->room, *value = at + p->n * d;
    m->points = (struct model_points){.n = p->n, .dimensions = d, .at = at, .value = value};
    m->log_response = options->log_response;
    for (size_t j = 0; j < d; j++) {
        m->log_factor[j] = options->log_factor && options->log_factor[j];
        m->low[j] = INFINITY;
        m->high[j] = -INFINITY;
    }
    for (size_t i = 0; i < p->n; i++) {
        value[i] = scaled(p->value[i], m->log_response);
        for (size_t j = 0; j < d; j++) {
            double x = scaled(p->at[i * d + j], m->log_factor[j]);
            at[i * d + j] = x;
            m->low[j] = fmin(m->low[j], x);
            m->high[j] = fmax(m->high[j], x);
        }
    }
    return m;
}

static int check_counts(const struct model_method *method, const struct model_points *p,
                        struct err *e)
{
    if (p->dimensions == 0 || p->dimensions > MODEL_MAX_DIMENSIONS)
        return err_set(e, ERR_USAGE, "a map takes 1 to %d factors, not %zu", MODEL_MAX_DIMENSIONS,
                       p->dimensions);
    size_t fewest = method->fewest_points(p->dimensions);
    if (p->n < fewest)
        return err_set(e, ERR_USAGE,
                       "%s needs at least %zu points for %zu factors, and there are %zu: measure "
                       "more configurations, or leave factors out",
                       method->words, fewest, p->dimensions, p->n);
    return 0;
}

/* Checks the method's requirements, with the caller's names in messages. */
static int check_scaled(const struct model *m, const struct model_points *named, struct err *e)
{
    struct model_points p = m->points;
    p.factor = named->factor;
    if (m->method->distinct && points_check_distinct(&p, e))
        return -1;
    return m->method->full_rank ? points_check_rank(&p, e) : 0;
}

int model_fit(struct model **out, const struct model_method *method,
              const struct model_points *points, const struct model_options *options, struct err *e)
{
    pthread_once(&library_quiet, make_library_quiet);
    if (check_counts(method, points, e) || points_check_values(points, options, e))
        return -1;
    struct model *m = copy_scaled(points, options);
    if (!m)
        return err_no_memory(e, "%zu points", points->n);
    m->method = method;
    const struct model *like = method->fit_like ? options->like : NULL;
    if (check_scaled(m, points, e) ||
        (like ? method->fit_like(&m->state, &m->points, like->state, e)
              : method->fit(&m->state, &m->points, options, e))) {
        free(m);
        return -1;
    }
    *out = m;
    return 0;
}

int model_check_at(const struct model *m, const double at[], struct err *e)
{
    char name[POINTS_NAME_BYTES];
    for (size_t j = 0; j < m->points.dimensions; j++)
        if (points_check_value(at[j], m->log_factor[j], points_factor_name(&m->points, j, name), e))
            return -1;
    return 0;
}

/* Converts a value to the response's own unit. */
static double unscaled(const struct model *m, double value)
{
    if (m->log_response)
        value = exp(value);
    return fmax(-DBL_MAX, fmin(value, DBL_MAX));
}

struct model_answer model_answer(const struct model *m, const double at[])
{
    double x[MODEL_MAX_DIMENSIONS];
    struct model_answer a = {.error = INFINITY, .degrees = INFINITY};
    for (size_t j = 0; j < m->points.dimensions; j++) {
        x[j] = scaled(at[j], m->log_factor[j]);
        a.extrapolated = a.extrapolated || x[j] < m->low[j] || x[j] > m->high[j];
    }
    m->method->answer(m->state, x, &a);
    a.value = unscaled(m, a.value);
    return a;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    m->method->release(m->state);
    free(m);
}
