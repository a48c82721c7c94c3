/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses a method, fits the maps, and predicts. */
#include "stat/map/prediction.h"
#include "stat/basic/sort.h"
#include "stat/map/map_model.h"

#include <math.h>
#include <stdlib.h>

/* In maps of up to this many configurations, the errors that a method states are not trusted: its
   intervals are calibrated by cross-validation. */
#define FEW_POINTS 200

/* Chooses a method, or uses the only candidate. If there was a choice, the prediction receives the
   scores, the best first. */
static int choose_method(struct prediction *p, struct map_method *method,
                         const struct configurations *c, const struct candidates *candidates,
                         const struct prediction_request *request, struct err *e)
{
    size_t best = 0;
    *method = candidates->list[0];
    if (!candidates->choose) {
        struct map_score score;
        if (c->n > FEW_POINTS * c->map_count)
            return 0;
        if (candidates_choose(&score, &best, candidates, c, request->confidence, request->seed,
                              request->observer, e) &&
            /* a method that cannot be fitted reports this later, when it is used */
            e->code != ERR_USAGE)
            return -1;
        p->widening = method->widening = best ? 0 : score.widening;
        return 0;
    }
    struct map_score *scores = calloc(candidates->count, sizeof *scores);
    if (!scores)
        return err_no_memory(e, "%zu methods", candidates->count);
    p->scores = scores;
    p->score_count = candidates->count;
    if (candidates_choose(scores, &best, candidates, c, request->confidence, request->seed,
                          request->observer, e))
        return -1;
    *method = candidates->list[best];
    p->widening = method->widening = scores[best].widening;
    struct map_score first = scores[best];
    scores[best] = scores[0];
    scores[0] = first;
    return 0;
}

static int predict_place(struct prediction_point *point, const struct map_model *m,
                         const struct design_place *place, const char *method, double confidence,
                         struct err *e)
{
    struct map_prediction answer;
    if (map_model_predict(m, place, confidence, &answer, e))
        return -1;
    *point = (struct prediction_point){.value = answer.value,
                                       .low = answer.low,
                                       .high = answer.high,
                                       .method = method,
                                       .extrapolated = answer.extrapolated};
    return 0;
}

static int predict_map(struct prediction *p, struct configurations *c, const struct places *places,
                       size_t map, size_t members[], const struct map_method *method,
                       double confidence, struct err *e)
{
    struct map_model *m = NULL;
    struct map_method with_intervals = *method;
    size_t n = map_members(c, map, members);
    with_intervals.intervals = true;
    if (map_model_fit(&m, c, members, n, &with_intervals, c->map_count == 1 ? &c->notes : NULL, e))
        return err_context(e, "%s", method->method->name);
    int status = 0;
    for (size_t i = 0; i < places->count && !status; i++) {
        if (places->map[i] != map)
            continue;
        status =
            predict_place(&p->points[i], m, &places->place[i], method->method->name, confidence, e);
        if (status && places->line)
            err_context(e, "line %u of the query", places->line[i]);
    }
    map_model_free(m);
    return status;
}

/* Fits the maps in which places lie, and predicts at these places. */
static int predict_maps(struct prediction *p, struct configurations *c, const struct places *places,
                        const struct map_method *method, const struct prediction_request *request,
                        struct err *e)
{
    size_t *members = calloc(c->n, sizeof *members);
    bool *wanted = calloc(c->map_count, sizeof *wanted);
    int status = -1;
    if (!members || !wanted) {
        err_no_memory(e, "%zu configurations", c->n);
    } else {
        for (size_t i = 0; i < places->count; i++)
            wanted[places->map[i]] = true;
        status = 0;
        for (size_t map = 0; map < c->map_count && !status; map++) {
            struct map_stage stage = {request->observer, "fitting maps",
                                      (double)map / (double)c->map_count};
            const struct watch watch = {map_stage_stops, &stage};
            struct map_method watched = *method;
            watched.watch = &watch;
            if (wanted[map])
                status = predict_map(p, c, places, map, members, &watched, request->confidence, e);
        }
    }
    free(members);
    free(wanted);
    return status;
}

/* ---- a test ---- */

/* Returns true if the map was fitted to a configuration at this place. */
static bool is_fitted(const struct configurations *c, const struct places *places, size_t at)
{
    const struct design_place *place = &places->place[at];
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t *level = c->level + i * c->stride;
        size_t f = c->map[i] == places->map[at] ? 0 : SIZE_MAX;
        while (f < c->factor_count && c->factors[f].number[level[f]] == place->number[f])
            f++;
        if (f == c->factor_count)
            return true;
    }
    return false;
}

static int test(struct prediction *p, const struct configurations *c, const struct places *places,
                struct err *e)
{
    double *errors = calloc(2 * p->count + 1, sizeof *errors), sum = 0;
    size_t n = 0, covered = 0, intervals = 0;
    if (!errors)
        return err_no_memory(e, "%zu errors", p->count);
    p->test = (struct map_test){.path = places->path, .mean = NAN, .median = NAN, .coverage = NAN};
    for (size_t i = 0; i < p->count; i++) {
        struct prediction_point *point = &p->points[i];
        point->measured = places->measured[i];
        point->error = point->measured != 0
                           ? (point->value - point->measured) / fabs(point->measured)
                           : (double)NAN;
        p->test.repeated += is_fitted(c, places, i);
        if (isfinite(point->high)) {
            intervals++;
            covered += point->low <= point->measured && point->measured <= point->high;
        }
        if (isnan(point->error))
            continue;
        errors[n++] = fabs(point->error);
        sum += fabs(point->error);
    }
    if (n) {
        sort_values(errors, n, errors + p->count);
        p->test.mean = sum / (double)n;
        p->test.median = (errors[(n - 1) / 2] + errors[n / 2]) / 2;
    }
    if (intervals)
        p->test.coverage = (double)covered / (double)intervals;
    free(errors);
    return 0;
}

int prediction_make(struct prediction *p, struct configurations *c, const struct places *places,
                    const struct candidates *candidates, const struct prediction_request *request,
                    struct err *e)
{
    struct map_method method;
    *p = (struct prediction){.response = c->response.name,
                             .confidence = request->confidence,
                             .column_count = places->column_count,
                             .columns = places->columns,
                             .count = places->count,
                             .cells = places->cells,
                             .of_query = places->line != NULL,
                             .measured = c->n,
                             .map_count = c->map_count,
                             .noise_percent = 100 * c->mean_noise};
    p->points = calloc(places->count ? places->count : 1, sizeof *p->points);
    if (!p->points)
        return err_no_memory(e, "%zu predictions", places->count);
    if (choose_method(p, &method, c, candidates, request, e) ||
        predict_maps(p, c, places, &method, request, e) ||
        (places->measured && test(p, c, places, e))) {
        prediction_free(p);
        return -1;
    }
    p->method = method.method->name;
    p->scale = method.logarithmic ? "log" : "raw";
    p->notes = c->notes.data ? c->notes.data : "";
    return 0;
}

void prediction_free(struct prediction *p)
{
    free(p->points);
    free(p->scores);
    *p = (struct prediction){0};
}
