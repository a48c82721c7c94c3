/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales points, fits a method to them, and converts its answers back to the user's units. */
#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stat/model/internal.h"

struct model {
    const struct model_method *method;
    void *state;                /* state of the method */
    struct model_points points; /* scaled; without names */
    bool log_factor[MODEL_MAX_DIMENSIONS];
    bool log_response;
    double low[MODEL_MAX_DIMENSIONS], high[MODEL_MAX_DIMENSIONS]; /* ranges, scaled */
    double room[];                                                /* memory of the points */
};

static pthread_once_t library_quiet = PTHREAD_ONCE_INIT;

/* Switches GSL's error handler off, which would abort the program; GSL's functions return errors as
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
