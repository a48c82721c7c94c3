/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the axes of a map, fits its model, and computes the intervals of its predictions. */
#include "stat/map/map_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/distribution.h"
#include "stat/map/design.h"
#include "stat/model/cross_validated_interval.h"

/* ---- the design ---- */

#define SAME 1e-9 /* an axis whose remainder is a smaller share depends on the others */

struct design_place design_place_of(const struct configurations *c, size_t configuration)
{
    struct design_place place = {0};
    const uint32_t *level = c->level + configuration * c->stride;
    for (size_t f = 0; f < c->factor_count; f++) {
        place.level[f] = level[f];
        place.number[f] = c->factors[f].number[level[f]];
    }
    return place;
}

static double coordinate(const struct design_axis *axis, const struct design_place *place)
{
    return axis->is_indicator ? place->level[axis->factor] == axis->level
                              : place->number[axis->factor];
}

/* Returns the coordinate on the axis as the model uses it. */
static double scaled_coordinate(const struct design *d, size_t axis,
                                const struct design_place *place)
{
    double x = coordinate(&d->axes[axis], place);
    return d->log_factor[axis] ? log(x) : x;
}

static int add_axes(struct design *d, size_t factor, bool logarithmic, struct err *e)
{
    const struct factor *f = &d->c->factors[factor];
    size_t count = f->is_text ? f->level_count - 1 : 1;
    if (d->axis_count + count > MODEL_MAX_DIMENSIONS)
        return err_set(e, ERR_USAGE,
                       "the factors have more than %d axes, of which %.60s has %zu: leave some "
                       "out, or give a map to each of its levels (--maps-by)",
                       MODEL_MAX_DIMENSIONS, f->name, count);
    for (size_t k = 0; k < count; k++) {
        d->log_factor[d->axis_count] = logarithmic && !f->is_text && f->number[0] > 0;
        d->axes[d->axis_count++] =
            (struct design_axis){.factor = factor, .level = k + 1, .is_indicator = f->is_text};
    }
    return 0;
}

/* ---- axes that depend on others ---- */

/* Gram-Schmidt orthogonalisation of the axes, each of them a column without its mean. */
struct elimination {
    size_t n, kept;
    double *columns; /* [kept][n], orthonormal columns of the kept axes */
    double triangle[MODEL_MAX_DIMENSIONS][MODEL_MAX_DIMENSIONS];
    double mean[MODEL_MAX_DIMENSIONS];
};

static double length_of(const double x[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Subtracts from `x` its projections on the present columns, twice because of rounding. Adds the
   lengths of these projections to r. */
static void project(const struct elimination *m, double x[], double r[MODEL_MAX_DIMENSIONS])
{
    memset(r, 0, MODEL_MAX_DIMENSIONS * sizeof *r);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < m->kept; k++) {
            const double *q = m->columns + k * m->n;
            double product = 0;
            for (size_t i = 0; i < m->n; i++)
                product += q[i] * x[i];
            for (size_t i = 0; i < m->n; i++)
                x[i] -= product * q[i];
            r[k] += product;
        }
}

/* Returns the linear combination of the kept columns that equals a left-out column. */
static struct design_dependence dependence_of(const struct elimination *m, const double r[],
                                              double mean, double length)
{
    struct design_dependence line = {.offset = mean, .tolerance = 1e-6 * (fabs(mean) + length)};
    for (size_t k = m->kept; k-- > 0;) {
        double b = r[k];
        for (size_t j = k + 1; j < m->kept; j++)
            b -= m->triangle[k][j] * line.coefficient[j];
        line.coefficient[k] = b / m->triangle[k][k];
        line.offset -= line.coefficient[k] * m->mean[k];
    }
    return line;
}

static void note_left_out(struct text *notes, const struct design *d, const char *why, size_t axis)
{
    const struct factor *f = &d->c->factors[d->axes[axis].factor];
    if (!notes)
        return;
    if (d->axes[axis].is_indicator)
        text_addf(notes, "%s = %s %s: it is left out of the model.\n", f->name,
                  f->words[d->axes[axis].level], why);
    else
        text_addf(notes, "%s %s: it is left out of the model.\n", f->name, why);
}

/* Finds the axes that depend on others, and moves the axes that the model uses to the front. */
static int eliminate(struct design *d, const size_t members[], size_t n, struct text *notes,
                     struct err *e)
{
    struct elimination *m = calloc(1, sizeof *m);
    double *columns = malloc((d->axis_count + 1) * n * sizeof *columns);
    d->dependences = calloc(d->axis_count + 1, sizeof *d->dependences);
    struct design_axis left[MODEL_MAX_DIMENSIONS];
    bool left_log[MODEL_MAX_DIMENSIONS];
    size_t left_count = 0;
    if (!m || !columns || !d->dependences) {
        free(m);
        free(columns);
        return err_no_memory(e, "the axes of the factors");
    }
    *m = (struct elimination){.n = n, .columns = columns};
    for (size_t a = 0; a < d->axis_count; a++) {
        double *x = columns + m->kept * n, r[MODEL_MAX_DIMENSIONS], mean = 0;
        for (size_t i = 0; i < n; i++) {
            struct design_place place = design_place_of(d->c, members[i]);
            x[i] = scaled_coordinate(d, a, &place);
            mean += x[i] / (double)n;
        }
        for (size_t i = 0; i < n; i++)
            x[i] -= mean;
        double before = length_of(x, n);
        project(m, x, r);
        double after = length_of(x, n);
        if (after <= SAME * (before + fabs(mean) * sqrt((double)n))) {
            bool constant = before <= SAME * (1 + fabs(mean) * sqrt((double)n));
            note_left_out(notes, d, constant ? "is constant" : "follows from the other factors", a);
            d->dependences[left_count] = dependence_of(m, r, mean, before);
            left_log[left_count] = d->log_factor[a];
            left[left_count++] = d->axes[a];
            continue;
        }
        for (size_t i = 0; i < n; i++)
            x[i] /= after;
        for (size_t k = 0; k < m->kept; k++)
            m->triangle[k][m->kept] = r[k];
        m->triangle[m->kept][m->kept] = after;
        m->mean[m->kept] = mean;
        d->log_factor[m->kept] = d->log_factor[a];
        d->axes[m->kept++] = d->axes[a];
    }
    d->dimensions = m->kept;
    memcpy(d->axes + m->kept, left, left_count * sizeof *left);
    memcpy(d->log_factor + m->kept, left_log, left_count * sizeof *left_log);
    free(columns);
    free(m);
    return 0;
}

int design_make(struct design *d, const struct configurations *c, const size_t members[], size_t n,
                bool logarithmic, struct text *notes, struct err *e)
{
    *d = (struct design){.c = c};
    for (size_t f = 0; f < c->factor_count; f++) {
        if (add_axes(d, f, logarithmic, e))
            return -1;
        if (logarithmic && notes && !c->factors[f].is_text && !(c->factors[f].number[0] > 0))
            text_addf(notes,
                      "%s has levels that are not above 0: it is not on a logarithmic axis.\n",
                      c->factors[f].name);
    }
    if (eliminate(d, members, n, notes, e)) {
        design_free(d);
        return -1;
    }
    if (d->dimensions)
        return 0;
    design_free(d);
    return err_set(e, ERR_USAGE, "no factor varies: there is nothing to predict from");
}

/* Returns true if two designs have the same axes, in the same order and on the same scales. */
static bool design_same_axes(const struct design *a, const struct design *b)
{
    for (size_t i = 0; i < a->dimensions && a->dimensions == b->dimensions; i++)
        if (a->axes[i].factor != b->axes[i].factor || a->axes[i].level != b->axes[i].level ||
            a->log_factor[i] != b->log_factor[i])
            return false;
    return a->dimensions == b->dimensions;
}

void design_free(struct design *d)
{
    free(d->dependences);
    *d = (struct design){0};
}

bool design_coordinates(const struct design *d, const struct design_place *place,
                        double at[MODEL_MAX_DIMENSIONS])
{
    double x[MODEL_MAX_DIMENSIONS];
    bool inside = true;
    for (size_t a = 0; a < d->dimensions; a++) {
        at[a] = coordinate(&d->axes[a], place);
        x[a] = d->log_factor[a] ? log(at[a]) : at[a];
    }
    for (size_t a = d->dimensions; a < d->axis_count; a++) {
        const struct design_dependence *line = &d->dependences[a - d->dimensions];
        double expected = line->offset;
        for (size_t k = 0; k < d->dimensions; k++)
            expected += line->coefficient[k] * x[k];
        inside = inside && fabs(scaled_coordinate(d, a, place) - expected) <= line->tolerance;
    }
    return inside;
}

/* ---- the model ---- */

#define INTERPOLATED_MAX 20000 /* so many points take a minute if intervals are made */

struct map_model {
    struct design design;
    struct model *model;
    /* errors from which intervals are made; NULL: the model states its own errors, or there are no
       intervals */
    struct model_residuals *residuals;
    bool logarithmic;
    double widening;
};

/* Computes residuals when the method does not state its own errors and there are enough points. */
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

/* Fits the model to coordinates and values. Messages use the names of the axes. */
static int fit_points(struct map_model *m, const struct configurations *c, const size_t members[],
                      size_t n, const struct map_method *method, struct text *notes, struct err *e)
{
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
    m->widening = method->widening > 0 ? method->widening : 1;
    if (design_make(&m->design, c, members, n, method->logarithmic, notes, e) ||
        fit_points(m, c, members, n, method, notes, e)) {
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
    double arm = m->widening * quantile(confidence, a.degrees) * a.error;
    out->low = m->logarithmic ? a.value * exp(-arm) : a.value - arm;
    out->high = fmin(m->logarithmic ? a.value * exp(arm) : a.value + arm, DBL_MAX);
    return 0;
}
