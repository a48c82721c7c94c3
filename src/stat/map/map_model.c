/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map: its axes, its model, and the intervals of its predictions. */
#include "stat/map/map_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "stat/basic/distribution.h"
#include "stat/model/interval.h"

#define INTERPOLATED_MAX 20000 /* takes a minute, with intervals */

struct map_model {
    struct design design;
    struct model *model;
    struct model_residuals *residuals; /* for intervals; NULL: the model has errors of its own, or
                                          there are no intervals */
    bool logarithmic;
};

/* Computes residuals when the method has no errors of its own and there are enough points. */
static int fit_residuals(struct map_model *m, const struct map_method *method,
                         const struct model_points *points, const struct model_options *options,
                         struct text *notes, struct err *e)
{
    struct err problem = {0};
    if (!method->intervals || isfinite(model_answer(m->model, points->at).error) ||
        model_residuals_make(&m->residuals, method->method, points, options, &problem) == 0)
        return 0;
    if (problem.code == ERR_MACHINE || problem.code == ERR_UNDECIDED) {
        *e = problem;
        return -1;
    }
    if (notes)
        text_addf(notes, "predictions have no intervals: %s.\n", problem.msg);
    return 0;
}

/* Fits the model to coordinates and values, with names of the axes for messages. */
static int fit_points(struct map_model *m, const size_t members[], size_t n,
                      const struct map_method *method, struct text *notes, struct err *e)
{
    const struct configurations *c = m->design.c;
    size_t d = m->design.dimensions;
    double *at = malloc((n * d + MODEL_MAX_DIMENSIONS) * sizeof *at);
    double *value = malloc(n * sizeof *value);
    const char *names[MODEL_MAX_DIMENSIONS];
    if (!at || !value) {
        free(at);
        free(value);
        return err_no_memory(e, "%zu configurations", n);
    }
    for (size_t a = 0; a < d; a++)
        names[a] = c->factors[m->design.axes[a].factor].name;
    for (size_t i = 0; i < n; i++) {
        struct design_place place = design_place_of(c, members[i]);
        design_coordinates(&m->design, &place, at + i * d);
        value[i] = c->value[members[i]];
    }
    struct model_points points = {.n = n,
                                  .dimensions = d,
                                  .at = at,
                                  .value = value,
                                  .factor = names,
                                  .response = c->response.name};
    struct model_options options = {.log_factor = m->design.log_factor,
                                    .log_response = method->logarithmic,
                                    .degree = method->degree,
                                    .seed = method->seed,
                                    .like = NULL,
                                    .watch = method->watch};
    if (method->like && design_same_axes(&method->like->design, &m->design))
        options.like = method->like->model;
    int status = model_fit(&m->model, method->method, &points, &options, e);
    if (status == 0)
        status = fit_residuals(m, method, &points, &options, notes, e);
    free(at);
    free(value);
    return status;
}

int map_model_fit(struct map_model **out, const struct configurations *c, const size_t members[],
                  size_t n, const struct map_method *method, struct text *notes, struct err *e)
{
    if (method->method->distinct && n > INTERPOLATED_MAX)
        return err_set(e, ERR_USAGE,
                       "%s looks at every pair of configurations, and there are %zu: it takes at "
                       "most %d; leave some out, or use lr or mars",
                       method->method->words, n, INTERPOLATED_MAX);
    struct map_model *m = calloc(1, sizeof *m);
    if (!m)
        return err_no_memory(e, "a map");
    m->logarithmic = method->logarithmic;
    if (design_make(&m->design, c, members, n, method->logarithmic, notes, e) ||
        fit_points(m, members, n, method, notes, e)) {
        map_model_free(m);
        return -1;
    }
    *out = m;
    return 0;
}

void map_model_free(struct map_model *m)
{
    if (!m)
        return;
    model_residuals_free(m->residuals);
    model_free(m->model);
    design_free(&m->design);
    free(m);
}

static double quantile(double confidence, double degrees)
{
    double p = (1 + confidence) / 2;
    return isfinite(degrees) ? student_t_quantile(p, degrees) : normal_quantile(p);
}

int map_model_predict(const struct map_model *m, const struct design_place *place,
                      double confidence, struct map_prediction *out, struct err *e)
{
    double at[MODEL_MAX_DIMENSIONS];
    bool inside = design_coordinates(&m->design, place, at);
    if (model_check_at(m->model, at, e))
        return -1;
    struct model_answer a = model_answer(m->model, at);
    *out = (struct map_prediction){.value = a.value,
                                   .low = m->logarithmic ? 0 : -INFINITY,
                                   .high = INFINITY,
                                   .extrapolated = a.extrapolated || !inside};
    if (m->residuals) {
        struct model_interval i = model_residuals_interval(m->residuals, at, a.value, confidence);
        out->low = i.low;
        out->high = i.high;
        return 0;
    }
    if (!isfinite(a.error))
        return 0;
    double arm = quantile(confidence, a.degrees) * a.error;
    out->low = m->logarithmic ? a.value * exp(-arm) : a.value - arm;
    out->high = fmin(m->logarithmic ? a.value * exp(arm) : a.value + arm, DBL_MAX);
    return 0;
}
