/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how the intervals of measured configurations narrow with their runs. */
#include <math.h>
#include <stdlib.h>

#include "stat/convergence/convergence.h"
#include "stat/map/prediction.h"

#define CURVE_FIRST 10  /* first number of runs, as in section 6 of MOANA */
#define CURVE_LAST  200 /* maximum number of runs, because the time grows with its square */
#define RESAMPLES   500

static int choose_statistic(struct convergence_request *q, const struct response *r, struct err *e)
{
    if (r->kind == RESPONSE_MEAN)
        q->statistic = CONVERGENCE_MEAN;
    else if (r->kind == RESPONSE_SD)
        q->statistic = CONVERGENCE_DEVIATION;
    else if (r->kind == RESPONSE_PERCENTILE && r->percentile > 0 && r->percentile < 100)
        q->statistic = CONVERGENCE_PERCENTILE;
    else
        return err_set(e, ERR_USAGE,
                       "--convergence --response %s: it must be a mean, sd, median or percentile "
                       "of runs",
                       r->name);
    q->share = r->percentile / 100;
    return 0;
}

/* Returns true if there are enough runs. If less than one run lies beyond a percentile, draws only
   repeat the smallest or the largest run. */
static bool are_enough(const struct convergence_request *q)
{
    double tail = q->statistic == CONVERGENCE_PERCENTILE ? fmin(q->share, 1 - q->share) : 1;
    return q->n >= 2 && (double)q->n * tail >= 1 - 1e-9;
}

static double known(double runs)
{
    return isfinite(runs) ? runs : (double)NAN;
}

/* Finds how many runs are needed, by the curve of Cameron et al., *MOANA* (2019), 6, and by CONFIRM
   (convergence.h). */
static int follow_curve(struct run_convergence *to, const struct convergence_request *q,
                        double precision, struct err *e)
{
    struct convergence_step steps[CURVE_LAST - CURVE_FIRST + 1];
    size_t count = q->n - CURVE_FIRST + 1, confirmed;
    if (convergence_curve(steps, CURVE_FIRST, q->n, q, e) ||
        confirm_runs(&confirmed, q, precision, e))
        return -1;
    to->confirm = confirmed ? (double)confirmed : (double)NAN;
    to->runs_75 = (double)convergence_runs(steps, count, 0.75);
    to->runs_90 = (double)convergence_runs(steps, count, 0.9);
    to->law_75 = convergence_runs_by_law(CURVE_FIRST, (double)q->n, 0.75);
    to->law_90 = convergence_runs_by_law(CURVE_FIRST, (double)q->n, 0.9);
    return 0;
}

static int find_convergence(struct run_convergence *to, const struct convergence_request *q,
                            double value, double precision, struct err *e)
{
    struct runs_needed needed;
    *to = (struct run_convergence){.runs = (double)q->n,
                                   .value = value,
                                   .precision = NAN,
                                   .needed = NAN,
                                   .needed_by_law = NAN,
                                   .confirm = NAN,
                                   .runs_75 = NAN,
                                   .runs_90 = NAN,
                                   .law_75 = NAN,
                                   .law_90 = NAN};
    if (!are_enough(q))
        return 0;
    if (runs_needed_for(&needed, q, precision, e))
        return -1;
    to->precision = known(needed.precision);
    to->needed = known(ceil(needed.runs));
    to->needed_by_law = known(ceil(needed.by_law));
    to->beyond = needed.beyond;
    return q->n > CURVE_FIRST && q->n <= CURVE_LAST ? follow_curve(to, q, precision, e) : 0;
}

static void name_places(struct map_convergence *m, const struct configurations *c)
{
    for (size_t f = 0; f < c->stride; f++)
        m->columns[f] = c->factors[f].name;
    for (size_t i = 0; i < c->n; i++)
        for (size_t f = 0; f < c->stride; f++)
            m->cells[i * c->stride + f] = c->factors[f].words[c->level[i * c->stride + f]];
}

static int find_all(struct map_convergence *m, const struct configurations *c,
                    struct convergence_request *q, const struct map_observer *observer,
                    struct err *e)
{
    for (size_t i = 0; i < c->n; i++) {
        if (observer && observer->progress)
            observer->progress(observer->context, "resampling", (double)i / (double)c->n);
        q->runs = c->runs + c->run_begin[i];
        q->n = c->run_begin[i + 1] - c->run_begin[i];
        if (find_convergence(&m->runs[i], q, c->value[i], m->width / 2, e))
            return -1;
    }
    return 0;
}

int map_convergence_make(struct map_convergence *m, struct configurations *c,
                         const struct convergence_wish *wish, struct err *e)
{
    struct convergence_request q = {
        .confidence = wish->confidence, .resamples = RESAMPLES, .seed = wish->seed};
    *m = (struct map_convergence){.response = c->response.name,
                                  .width = wish->width,
                                  .confidence = wish->confidence,
                                  .first = CURVE_FIRST,
                                  .column_count = c->stride,
                                  .count = c->n};
    if (choose_statistic(&q, &c->response, e))
        return -1;
    m->columns = calloc(c->stride, sizeof *m->columns);
    m->cells = calloc(c->n * c->stride, sizeof *m->cells);
    m->runs = calloc(c->n, sizeof *m->runs);
    int status = -1;
    if (!m->columns || !m->cells || !m->runs) {
        err_no_memory(e, "%zu configurations", c->n);
    } else {
        name_places(m, c);
        status = find_all(m, c, &q, wish->observer, e);
    }
    m->notes = c->notes.data ? c->notes.data : "";
    if (status)
        map_convergence_free(m);
    return status;
}

void map_convergence_free(struct map_convergence *m)
{
    free((void *)m->columns);
    free((void *)m->cells);
    free(m->runs);
    *m = (struct map_convergence){0};
}
