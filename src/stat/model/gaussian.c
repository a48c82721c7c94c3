/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes Gaussian process regression a method of maps. */
#include <math.h>
#include <stdlib.h>

#include "stat/gaussian/gaussian_process.h"
#include "stat/model/internal.h"

#define FEWEST     3
#define MAX_POINTS 4096 /* the largest matrix then takes 128 MiB, and a fit minutes */

static size_t fewest_points(size_t dimensions)
{
    return dimensions + 2 > FEWEST ? dimensions + 2 : FEWEST;
}

static void release(void *state)
{
    gaussian_free(state);
    free(state);
}

/* Fits the process. If there is a `like`, its parameters are copied instead of estimated. */
static int fit_or_take_over(void **state, const struct model_points *p,
                            const struct model_options *options,
                            const struct gaussian_process *like, struct err *e)
{
    struct gaussian_points points = {p->n, p->dimensions, p->at, p->value};
    if (p->n > MAX_POINTS)
        return err_set(e, ERR_USAGE,
                       "a Gaussian process takes at most %d points, and there are %zu: fit some of "
                       "them, or use another method",
                       MAX_POINTS, p->n);
    struct gaussian_process *g = calloc(1, sizeof *g);
    if (!g)
        return err_no_memory(e, "%zu points", p->n);
    if (like ? gaussian_condition(g, &points, &like->parameters, e)
             : gaussian_fit(g, &points, options->seed, options->watch, e)) {
        free(g);
        return -1;
    }
    if (like) {
        g->estimated = like->estimated;
        g->error_scale = like->error_scale;
        g->degrees = like->degrees;
    }
    *state = g;
    return 0;
}

static int fit(void **state, const struct model_points *p, const struct model_options *options,
               struct err *e)
{
    return fit_or_take_over(state, p, options, NULL, e);
}

static int fit_like(void **state, const struct model_points *p, const void *like, struct err *e)
{
    const struct model_options unused = {0};
    return fit_or_take_over(state, p, &unused, like, e);
}

/* Fills in the error of a new value, and its degrees of freedom. */
static void fill_answer(const struct gaussian_process *g, const struct gaussian_answer *a,
                        struct model_answer *out)
{
    out->value = a->mean;
    out->error = g->error_scale * sqrt(a->variance + a->noise);
    out->degrees = g->degrees;
}

static void answer(const void *state, const double at[], struct model_answer *out)
{
    const struct gaussian_process *g = state;
    double room[MAX_POINTS];
    struct gaussian_answer a = gaussian_at(g, at, room);
    fill_answer(g, &a, out);
}

const struct model_method model_gaussian = {
    .name = "gp",
    .words = "a Gaussian process",
    .fewest_points = fewest_points,
    .fit = fit,
    .fit_like = fit_like,
    .answer = answer,
    .release = release,
};
