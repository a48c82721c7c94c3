/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals from cross-validated errors, relative to the mean error of neighbouring points, around
 * the answer of the model of all points. CV+, which is centred on the answer of each part's model,
 * covers too much, because the answers of the parts' models differ more than the model of all
 * points errs.
 */
#include "stat/model/cross_validated_interval.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/sort.h"
#include "stat/model/internal.h"

/* number of points whose errors show how large errors are at a place */
#define NEIGHBOURS 30
/* minimum of the mean error of the neighbours, as a share of the mean error of all points */
#define LEAST_SCALE 1e-3

struct model_residuals {
    size_t count, dimensions;
    bool log_response;
    bool log_factor[MODEL_MAX_DIMENSIONS];
    /* unit of distances for each factor: its standard deviation */
    double unit[MODEL_MAX_DIMENSIONS];
    double *at;    /* [count][dimensions], the points in multiples of `unit` */
    double *error; /* [count]: |measured - predicted|, on the model's axis */
    double mean_error;
    double *ratio; /* [count]: error divided by the mean error of the neighbours, ascending */
};

static double on_axis(double value, bool logarithmic)
{
    return logarithmic ? log(value) : value;
}

static double off_axis(double value, bool logarithmic)
{
    return logarithmic ? exp(value) : value;
}

void model_residuals_free(struct model_residuals *r)
{
    if (!r)
        return;
    free(r->at);
    free(r->error);
    free(r->ratio);
    free(r);
}

static void find_units(struct model_residuals *r, const struct model_points *p, double column[])
{
    for (size_t j = 0; j < p->dimensions; j++) {
        for (size_t i = 0; i < p->n; i++)
            column[i] = on_axis(p->at[i * p->dimensions + j], r->log_factor[j]);
        double sd = standard_deviation_of(column, p->n, mean_of(column, p->n));
        r->unit[j] = sd > 0 ? sd : 1;
    }
}

static void to_units(const struct model_residuals *r, const double at[], double place[])
{
    for (size_t j = 0; j < r->dimensions; j++)
        place[j] = on_axis(at[j], r->log_factor[j]) / r->unit[j];
}

/* Returns the mean error of the points nearest to `place`, without that of point `except`. */
static double local_scale(const struct model_residuals *r, const double place[], size_t except)
{
    double distance[NEIGHBOURS] = {0}, error[NEIGHBOURS] = {0}, sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        double squares = 0;
        for (size_t j = 0; j < r->dimensions; j++) {
            double step = r->at[i * r->dimensions + j] - place[j];
            squares += step * step;
        }
        if (i == except || (count == NEIGHBOURS && squares >= distance[count - 1]))
            continue;
        size_t k = count < NEIGHBOURS ? count++ : count - 1;
        for (; k > 0 && squares < distance[k - 1]; k--) {
            distance[k] = distance[k - 1];
            error[k] = error[k - 1];
        }
        distance[k] = squares;
        error[k] = r->error[i];
    }
    for (size_t k = 0; k < count; k++)
        sum += error[k] / (double)count;
    return fmax(sum, LEAST_SCALE * r->mean_error);
}

/* Leaves out every MODEL_FOLDS-th point of `order`, from `fold` on, fits a model to the others, and
   adds its errors at the points that were left out. */
static int add_errors(struct model_residuals *r, size_t fold, const struct model_method *method,
                      const struct model_points *p, const struct model_options *options,
                      const size_t order[], double room[], struct err *e)
{
    size_t m = p->dimensions, n = 0;
    double *at = room, *value = room + p->n * m;
    struct model *model = NULL;
    for (size_t i = 0; i < p->n; i++)
        if (i % MODEL_FOLDS != fold) {
            memcpy(at + n * m, p->at + order[i] * m, m * sizeof *at);
            value[n++] = p->value[order[i]];
        }
    struct model_points others = *p;
    others.n = n;
    others.at = at;
    others.value = value;
    if (watch_stops(options->watch))
        return err_set(e, ERR_UNDECIDED, "stopped by a signal");
    if (model_fit(&model, method, &others, options, e))
        return -1;
    for (size_t i = fold; i < p->n; i += MODEL_FOLDS) {
        const double *place = p->at + order[i] * m;
        double predicted = on_axis(model_answer(model, place).value, r->log_response);
        double error = fabs(on_axis(p->value[order[i]], r->log_response) - predicted);
        to_units(r, place, r->at + r->count * m);
        r->error[r->count++] = fmin(error, DBL_MAX);
    }
    model_free(model);
    return 0;
}

static void shuffle(size_t order[], size_t n, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed, 0);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t k = random_below(&random, i), other = order[k];
        order[k] = order[i - 1];
        order[i - 1] = other;
    }
}

static void find_ratios(struct model_residuals *r, double room[])
{
    r->mean_error = 0;
    for (size_t i = 0; i < r->count; i++)
        r->mean_error += r->error[i] / (double)r->count;
    for (size_t i = 0; i < r->count; i++) {
        double scale = local_scale(r, r->at + i * r->dimensions, i);
        r->ratio[i] = scale > 0 ? fmin(r->error[i] / scale, DBL_MAX) : 0;
    }
    sort_values(r->ratio, r->count, room);
}

static int fill(struct model_residuals *r, const struct model_method *method,
                const struct model_points *p, const struct model_options *options, size_t order[],
                double room[], struct err *e)
{
    for (size_t j = 0; j < p->dimensions; j++)
        r->log_factor[j] = options->log_factor && options->log_factor[j];
    r->log_response = options->log_response;
    r->dimensions = p->dimensions;
    find_units(r, p, room);
    shuffle(order, p->n, options->seed);
    for (size_t fold = 0; fold < MODEL_FOLDS; fold++) {
        struct err why = {0};
        if (add_errors(r, fold, method, p, options, order, room, &why) == 0)
            continue;
        err_set(e, why.code, "%s", why.msg);
        if (why.code == ERR_MACHINE)
            return -1;
    }
    if (r->count < MODEL_INTERVAL_POINTS)
        return p->n < MODEL_INTERVAL_POINTS
                   ? err_set(e, ERR_USAGE, "an interval takes %d points or more, not %zu",
                             MODEL_INTERVAL_POINTS, p->n)
                   : err_context(e, "no interval can be computed");
    find_ratios(r, room);
    return 0;
}

int model_residuals_make(struct model_residuals **out, const struct model_method *method,
                         const struct model_points *points, const struct model_options *options,
                         struct err *e)
{
    if (points->dimensions == 0 || points->dimensions > MODEL_MAX_DIMENSIONS)
        return err_set(e, ERR_USAGE, "a map takes 1 to %d factors, not %zu", MODEL_MAX_DIMENSIONS,
                       points->dimensions);
    if (points_check_values(points, options, e))
        return -1;
    size_t n = points->n, m = points->dimensions;
    struct model_residuals *r = calloc(1, sizeof *r);
    size_t *order = calloc(n + 1, sizeof *order);
    double *room = calloc((n + 1) * (m + 1), sizeof *room);
    int result = -1;
    if (r) {
        r->error = calloc(n + 1, sizeof *r->error);
        r->ratio = calloc(n + 1, sizeof *r->ratio);
        r->at = calloc((n + 1) * m, sizeof *r->at);
    }
    if (!r || !order || !room || !r->error || !r->ratio || !r->at)
        err_no_memory(e, "%zu points", n);
    else
        result = fill(r, method, points, options, order, room, e);
    free(order);
    free(room);
    if (result == 0)
        *out = r;
    else
        model_residuals_free(r);
    return result;
}

struct model_interval model_residuals_interval(const struct model_residuals *r, const double at[],
                                               double value, double confidence)
{
    double place[MODEL_MAX_DIMENSIONS] = {0};
    double rank = ceil(confidence * ((double)r->count + 1));
    if (!(rank >= 1 && rank <= (double)r->count))
        return (struct model_interval){r->log_response ? 0 : -INFINITY, INFINITY};
    to_units(r, at, place);
    double reach = r->ratio[(size_t)rank - 1] * local_scale(r, place, (size_t)-1);
    double centre = on_axis(value, r->log_response);
    return (struct model_interval){off_axis(centre - reach, r->log_response),
                                   off_axis(centre + reach, r->log_response)};
}
