/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts every configuration from a map of the other configurations. */
#include <math.h>
#include <stdlib.h>

#include "stat/map/candidates.h"
#include "stat/map/internal.h"

/* Predicts the configurations of a map fold by fold, each from the other folds. */
static int scatter_map(struct map_scatter *s, const struct configurations *c, size_t map,
                       size_t members[], size_t room[], const struct map_method *method,
                       struct random *random, struct err *e)
{
    struct map_model *first = NULL;
    struct map_method like = *method;
    size_t n = map_members(c, map, members);
    int status = 0;
    shuffle_members(members, n, random);
    for (size_t fold = 0; fold < split_folds(n) && !status; fold++) {
        struct split_errors errors;
        struct split split = split_fold(members, n, fold, room);
        if (!split.test_count)
            continue;
        like.like = split.train_count > LIKE_FROM ? first : NULL;
        status = split_try(&errors, c, &split, &like,
                           &(struct split_wish){.confidence = 0.95,
                                                .predicted = s->predicted + s->count,
                                                .kept = first ? NULL : &first},
                           e);
        for (size_t i = 0; i < split.test_count; i++)
            s->measured[s->count + i] = c->value[split.test[i]];
        s->count += split.test_count;
    }
    map_model_free(first);
    return status;
}

static int fill(struct map_scatter *s, const struct configurations *c,
                const struct candidates *from, size_t best, uint64_t seed,
                const struct map_observer *observer, struct err *e)
{
    struct random random;
    int status = 0;
    size_t *members = calloc(3 * c->n, sizeof *members);
    s->measured = calloc(c->n, sizeof *s->measured);
    s->predicted = calloc(c->n, sizeof *s->predicted);
    random_seed(&random, seed, 2);
    if (!members || !s->measured || !s->predicted) {
        free(members);
        return err_no_memory(e, "%zu configurations", c->n);
    }
    for (size_t map = 0; map < c->map_count && !status; map++) {
        struct map_stage stage = {observer, "predicting what was left out",
                                  (double)map / (double)c->map_count};
        const struct watch watch = {map_stage_stops, &stage};
        struct map_method method = from->list[best];
        method.watch = &watch;
        status = scatter_map(s, c, map, members, members + c->n, &method, &random, e);
    }
    free(members);
    return status;
}

int scatter_make(struct map_scatter *s, const struct configurations *c,
                 const struct candidates *candidates, uint64_t seed,
                 const struct map_observer *observer, struct err *e)
{
    struct map_score scores[CANDIDATES_MAX];
    size_t best = 0, counted = 0;
    *s = (struct map_scatter){.response = c->response.name,
                              .are_percent = NAN,
                              .logarithmic = true,
                              .notes = c->notes.data ? c->notes.data : ""};
    if (candidates->choose &&
        candidates_choose(scores, &best, candidates, c, 0.95, seed, observer, e))
        return -1;
    s->method = candidates->list[best].method->name;
    s->scale = candidates->list[best].logarithmic ? "log" : "raw";
    if (fill(s, c, candidates, best, seed, observer, e)) {
        scatter_free(s);
        return -1;
    }
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->logarithmic = s->logarithmic && s->measured[i] > 0 && s->predicted[i] > 0;
        if (s->measured[i] == 0)
            continue;
        sum += fabs((s->predicted[i] - s->measured[i]) / s->measured[i]);
        counted++;
    }
    s->are_percent = counted ? 100 * sum / (double)counted : (double)NAN;
    return 0;
}

void scatter_free(struct map_scatter *s)
{
    free(s->measured);
    free(s->predicted);
    *s = (struct map_scatter){0};
}
