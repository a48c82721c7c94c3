/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the configurations that are measured: all allowed ones, a random part, or a part that
   fills the space. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/random.h"
#include "many/sweep/internal.h"

#define GRID_MAX           10000000u /* maximum size of a grid whose points are all examined */
#define CONFIGURATIONS_MAX 1000000u
#define FILLING_MAX        2000u
#define CANDIDATES         20u /* random candidates from which each configuration is chosen */
#define TRIES              1000u /* random points tried for each configuration if the grid is larger */

/* random streams of the plan's seed */
enum { STREAM_SUBSET = 1, STREAM_FILLING };

/* Returns the configuration with this index in the grid. */
static struct sweep_configuration sweep_configuration_at(const struct sweep_plan *plan,
                                                         uint64_t index)
{
    struct sweep_configuration c = {{0}};
    for (size_t i = plan->factor_count; i-- > 0;) {
        c.level[i] = (unsigned char)(index % plan->factors[i].level_count);
        index /= plan->factors[i].level_count;
    }
    return c;
}

char *sweep_configuration_words(const struct sweep_plan *plan, const struct sweep_configuration *c,
                                char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < plan->factor_count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s=%s", i ? " " : "",
                                 plan->factors[i].name, sweep_level_of(plan, c, i)->text);
    return to;
}

/* ---- a set of grid points ---- */

struct points {
    uint64_t *index;
    size_t count, room;
};

static int points_add(struct points *p, uint64_t index, struct err *e)
{
    if (!array_grow(&p->index, sizeof *p->index, p->count, &p->room))
        return err_no_memory(e, "the configurations");
    p->index[p->count++] = index;
    return 0;
}

static int by_index(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void points_sort(struct points *p)
{
    if (p->count)
        qsort(p->index, p->count, sizeof *p->index, by_index);
}

static bool is_allowed_at(const struct sweep_plan *plan, uint64_t index)
{
    struct sweep_configuration c = sweep_configuration_at(plan, index);
    return sweep_is_allowed(plan, &c);
}

/* Takes a uniform sample of the allowed points, or all of them if there are no more than `size`
   (Vitter's algorithm R). */
static int sample_by_passing(const struct sweep_plan *plan, struct points *p, uint64_t size,
                             struct random *random, struct err *e)
{
    uint64_t met = 0;
    for (uint64_t i = 0; i < plan->grid; i++) {
        if (!is_allowed_at(plan, i))
            continue;
        met++;
        if (p->count < size) {
            if (points_add(p, i, e))
                return -1;
            continue;
        }
        uint64_t place = random_below(random, met);
        if (place < size)
            p->index[place] = i;
    }
    return 0;
}

/* Takes a uniform sample from a grid that is too large to be examined point by point. */
static int sample_by_trying(const struct sweep_plan *plan, struct points *p, uint64_t size,
                            struct random *random, struct err *e)
{
    for (uint64_t tries = size * TRIES; p->count < size && tries;) {
        for (; p->count < size && tries; tries--) {
            uint64_t index = random_below(random, plan->grid);
            if (is_allowed_at(plan, index) && points_add(p, index, e))
                return -1;
        }
        points_sort(p);
        size_t kept = 0;
        for (size_t i = 0; i < p->count; i++)
            if (!kept || p->index[kept - 1] != p->index[i])
                p->index[kept++] = p->index[i];
        p->count = kept;
    }
    return 0;
}

static int sample(const struct sweep_plan *plan, struct points *p, uint64_t size,
                  struct random *random, struct err *e)
{
    int status = plan->grid <= GRID_MAX ? sample_by_passing(plan, p, size, random, e)
                                        : sample_by_trying(plan, p, size, random, e);
    points_sort(p);
    return status;
}

/* ---- a space-filling design ---- */

/* Returns the distance of two configurations. The levels of a factor lie evenly from 0 to 1,
   because users choose them on the scale that matters. Different levels of a text are at distance
   1. */
static double distance_between(const struct sweep_plan *plan, const struct sweep_configuration *a,
                               const struct sweep_configuration *b)
{
    double sum = 0;
    for (size_t i = 0; i < plan->factor_count; i++) {
        const struct sweep_factor *f = &plan->factors[i];
        double d = f->level_count > 1 ? (a->level[i] - b->level[i]) / (f->level_count - 1.0) : 0;
        if (f->is_text)
            d = a->level[i] != b->level[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* Returns by how much the levels of a point have been chosen more often than the average so far, as
   a sum over all factors. */
static double crowding_of(const struct sweep_plan *plan, const struct sweep_configuration *c,
                          unsigned (*chosen)[SWEEP_LEVELS_MAX], size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < plan->factor_count; i++) {
        double share = (double)chosen[i][c->level[i]] / (double)(count + 1);
        sum += fmax(0, share * plan->factors[i].level_count - 1);
    }
    return sum;
}

/*
 * Adds one candidate after the other. The next one is the candidate with the largest distance from
 * all points chosen so far (maximin, Johnson, Moore and Ylvisaker 1990), divided by how crowded its
 * levels are. By distance alone only corners would be chosen.
 */
static int choose_spread(const struct sweep_plan *plan, const struct points *candidates,
                         uint64_t size, struct points *to, struct random *random, struct err *e)
{
    unsigned chosen[SWEEP_FACTORS_MAX][SWEEP_LEVELS_MAX] = {{0}};
    double *nearest = malloc((candidates->count + 1) * sizeof *nearest);
    if (!nearest)
        return err_no_memory(e, "the configurations");
    for (size_t i = 0; i < candidates->count; i++)
        nearest[i] = 1e9;
    size_t next = (size_t)random_below(random, candidates->count);
    int status = 0;
    while (!status && to->count < size) {
        struct sweep_configuration last = sweep_configuration_at(plan, candidates->index[next]);
        status = points_add(to, candidates->index[next], e);
        for (size_t i = 0; i < plan->factor_count; i++)
            chosen[i][last.level[i]]++;
        double best = -1;
        for (size_t i = 0; i < candidates->count; i++) {
            struct sweep_configuration c = sweep_configuration_at(plan, candidates->index[i]);
            nearest[i] = fmin(nearest[i], distance_between(plan, &c, &last));
            double score = nearest[i] / (1 + crowding_of(plan, &c, chosen, to->count));
            if (score > best) {
                best = score;
                next = i;
            }
        }
    }
    free(nearest);
    points_sort(to);
    return status;
}

static int fill_space(const struct sweep_plan *plan, struct points *p, struct err *e)
{
    struct points candidates = {0};
    struct random random;
    uint64_t size = plan->design_size;
    if (size > FILLING_MAX)
        return err_set(e, ERR_USAGE, "design: space-filling is for at most %u configurations",
                       FILLING_MAX);
    random_seed(&random, plan->seed, STREAM_FILLING);
    int status = sample(plan, &candidates, CANDIDATES * size, &random, e);
    if (!status && candidates.count <= size) {
        *p = candidates;
        return 0;
    }
    if (!status)
        status = choose_spread(plan, &candidates, size, p, &random, e);
    free(candidates.index);
    return status;
}

/* ---- the design ---- */

static int take_all(const struct sweep_plan *plan, struct points *p, struct err *e)
{
    if (plan->grid > GRID_MAX)
        return err_set(e, ERR_USAGE,
                       "the factors make %s%.4g configurations: leave levels out, or measure a "
                       "part, as with \"design: space-filling 200\"",
                       plan->grid == UINT64_MAX ? "more than " : "", (double)plan->grid);
    for (uint64_t i = 0; i < plan->grid && p->count <= CONFIGURATIONS_MAX; i++)
        if (is_allowed_at(plan, i) && points_add(p, i, e))
            return -1;
    return p->count <= CONFIGURATIONS_MAX
               ? 0
               : err_set(e, ERR_USAGE,
                         "there are more than %u configurations: leave levels out, or measure a "
                         "part, as with \"design: space-filling 200\"",
                         CONFIGURATIONS_MAX);
}

static int take_part(const struct sweep_plan *plan, struct points *p, struct err *e)
{
    struct random random;
    random_seed(&random, plan->seed, STREAM_SUBSET);
    int status = plan->design == SWEEP_RANDOM ? sample(plan, p, plan->design_size, &random, e)
                                              : fill_space(plan, p, e);
    if (status || p->count >= plan->design_size || !p->count)
        return status;
    return err_set(e, ERR_USAGE, "design: %llu configurations are asked for, and only %zu %s",
                   (unsigned long long)plan->design_size, p->count,
                   plan->grid <= GRID_MAX ? "meet the constraints" : "were found");
}

int sweep_design_make(const struct sweep_plan *plan, struct sweep_configuration **list,
                      size_t *count, struct err *e)
{
    struct points p = {0};
    *list = NULL;
    int status = plan->design == SWEEP_FULL ? take_all(plan, &p, e) : take_part(plan, &p, e);
    if (!status && !p.count)
        status = err_set(e, ERR_USAGE,
                         "no configuration meets all constraints: the factors leave nothing over");
    if (!status) {
        *list = calloc(p.count + 1, sizeof **list);
        status = *list ? 0 : err_no_memory(e, "the configurations");
    }
    for (size_t i = 0; *list && i < p.count; i++)
        (*list)[i] = sweep_configuration_at(plan, p.index[i]);
    *count = p.count;
    free(p.index);
    return status;
}
