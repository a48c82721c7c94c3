/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how many runs configurations need, and chooses what to measure next. */
#include <math.h>
#include <stdlib.h>

#include "stat/estimate/session_spread.h"
#include "stat/map/prediction.h"

/* Predicts one statistic (mean or standard deviation) at all places. */
static int predict_places(struct prediction *p, struct configurations *c,
                          const struct places *places, const struct run_plan_request *request,
                          struct err *e)
{
    struct candidates candidates;
    struct prediction_request how = {request->confidence, request->seed, request->observer};
    if (candidates_parse(&candidates, c, request->methods, SCALE_AUTO, 0, request->seed, &c->notes,
                         e))
        return -1;
    if (candidates.count > 1 && !candidates.choose)
        return err_set(e, ERR_USAGE, "--method %s: one method predicts", request->methods);
    return prediction_make(p, c, places, &candidates, &how, e);
}

/* Returns the index of the configuration at a place; SIZE_MAX: it was not measured. */
static size_t measured_at(const struct configurations *c, const struct places *places, size_t at)
{
    const struct design_place *place = &places->place[at];
    for (size_t i = 0; i < c->n; i++) {
        size_t f = 0;
        if (c->map[i] != places->map[at])
            continue;
        while (f < c->factor_count &&
               c->factors[f].number[c->level[i * c->stride + f]] == place->number[f])
            f++;
        if (f == c->factor_count)
            return i;
    }
    return SIZE_MAX;
}

static void find_need(struct run_need *need, const struct run_plan_request *r, double run_seconds)
{
    struct session_spread spread = {.n = 2, .mean = need->mean, .sd = need->sd};
    size_t runs = session_spread_required(&spread, r->width, r->confidence);
    need->needed = runs ? (double)runs : (double)NAN;
    need->seconds = fmax(need->needed - need->done, 0) * run_seconds;
    if (isnan(need->needed) || isnan(run_seconds))
        need->seconds = NAN;
}

struct ranked {
    double uncertainty;
    size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->uncertainty != y->uncertainty)
        return x->uncertainty > y->uncertainty ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Chooses places to measure, the least certain first, until the budget is spent. */
static int choose_next(struct run_plan *p, struct err *e)
{
    struct ranked *order = calloc(p->count + 1, sizeof *order);
    double left = p->budget_seconds;
    if (!order)
        return err_no_memory(e, "%zu configurations", p->count);
    for (size_t i = 0; i < p->count; i++)
        order[i] = (struct ranked){p->needs[i].uncertainty, i};
    qsort(order, p->count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < p->count; i++) {
        struct run_need *need = &p->needs[order[i].at];
        need->next = need->seconds > 0 && need->seconds <= left;
        left -= need->next ? need->seconds : 0;
    }
    free(order);
    return 0;
}

static int fill(struct run_plan *p, struct configurations *mean, const struct places *places,
                const struct run_plan_request *r, const struct prediction *means,
                const struct prediction *sds, const struct prediction *seconds, struct err *e)
{
    p->needs = calloc(places->count + 1, sizeof *p->needs);
    const struct prediction_point *mean_at = means->points, *sd_at = sds->points;
    const struct prediction_point *seconds_at = seconds ? seconds->points : NULL;
    if (!p->needs || !mean_at || !sd_at)
        return err_no_memory(e, "%zu configurations", places->count);
    for (size_t i = 0; i < places->count; i++) {
        struct run_need *need = &p->needs[i];
        size_t known = measured_at(mean, places, i), known_sd = measured_at(r->sd, places, i);
        *need = (struct run_need){.mean = mean_at[i].value, .sd = sd_at[i].value};
        need->uncertainty =
            sds->points[i].low > 0 ? sds->points[i].high / sds->points[i].low : (double)INFINITY;
        if (known != SIZE_MAX && known_sd != SIZE_MAX) {
            need->mean = mean->value[known];
            need->sd = r->sd->value[known_sd];
            need->done = mean->run_count[known];
            need->uncertainty = 1;
        }
        find_need(need, r, seconds_at ? seconds_at[i].value : r->run_seconds);
        p->runs += fmax(need->needed - need->done, isnan(need->needed) ? NAN : 0);
        p->seconds += need->seconds;
    }
    return p->budget_seconds > 0 ? choose_next(p, e) : 0;
}

int run_plan_make(struct run_plan *p, struct configurations *mean, const struct places *places,
                  const struct run_plan_request *request, struct err *e)
{
    struct prediction means = {0}, sds = {0}, seconds = {0};
    *p = (struct run_plan){.width = request->width,
                           .confidence = request->confidence,
                           .budget_seconds = request->budget_seconds,
                           .column_count = places->column_count,
                           .columns = places->columns,
                           .count = places->count,
                           .cells = places->cells};
    int status =
        predict_places(&means, mean, places, request, e) ||
                predict_places(&sds, request->sd, places, request, e) ||
                (request->seconds && predict_places(&seconds, request->seconds, places, request, e))
            ? -1
            : 0;
    if (!status)
        status =
            fill(p, mean, places, request, &means, &sds, request->seconds ? &seconds : NULL, e);
    p->method = sds.method;
    p->notes = mean->notes.data ? mean->notes.data : "";
    prediction_free(&means);
    prediction_free(&sds);
    prediction_free(&seconds);
    if (status)
        run_plan_free(p);
    return status;
}

void run_plan_free(struct run_plan *p)
{
    free(p->needs);
    *p = (struct run_plan){0};
}
