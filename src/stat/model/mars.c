/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes multivariate adaptive regression splines a method of maps. */
#include <math.h>
#include <stdlib.h>

#include "stat/mars/mars.h"
#include "stat/model/internal.h"

#define USUAL_DEGREE 3 /* the degree that Cameron et al. use */

struct state {
    struct mars mars;
    double error, degrees;
};

static size_t fewest_points(size_t dimensions)
{
    return dimensions + 2;
}

static void release(void *state)
{
    struct state *s = state;
    mars_free(&s->mars);
    free(s);
}

static bool is_finite(const struct mars *m)
{
    bool finite = isfinite(m->rss);
    for (size_t t = 0; t < m->terms; t++)
        finite = finite && isfinite(m->coefficient[t]);
    return finite;
}

/*
 * The error of a new measurement is the root of the generalised cross-validation, which estimates
 * its mean square. It is the same at every place.
 */
static int fit(void **state, const struct model_points *p, const struct model_options *options,
               struct err *e)
{
    unsigned usual = p->dimensions < USUAL_DEGREE ? (unsigned)p->dimensions : USUAL_DEGREE;
    struct mars_options o =
        mars_defaults(p->dimensions, options->degree > 0 ? options->degree : usual);
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "%zu points", p->n);
    if (mars_fit(&s->mars, p->at, p->value, p->n, p->dimensions, &o, e) != 0) {
        free(s);
        return -1;
    }
    if (!is_finite(&s->mars)) {
        release(s);
        return err_set(e, ERR_USAGE,
                       "MARS cannot compute with values of these sizes: use logarithmic axes");
    }
    double terms = (double)s->mars.terms;
    s->error = sqrt(s->mars.gcv);
    s->degrees = fmax(1, (double)p->n - terms - o.penalty * (terms - 1) / 2);
    *state = s;
    return 0;
}

static void answer(const void *state, const double at[], struct model_answer *out)
{
    const struct state *s = state;
    double value = mars_value(&s->mars, at);
    /* infinite terms of opposite signs add up to NaN */
    out->value = isnan(value) ? INFINITY : value;
    out->error = s->error;
    out->degrees = s->degrees;
}

const struct model_method model_mars = {
    .name = "mars",
    .words = "MARS",
    .fewest_points = fewest_points,
    .fit = fit,
    .answer = answer,
    .release = release,
};
