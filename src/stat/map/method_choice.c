/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the methods that may be used, and finds the best one for the configurations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/sort.h"
#include "stat/map/candidates.h"

#define MAPS_TRIED   8    /* maximum number of maps that are tested */
#define POINTS_TRIED 1000 /* maximum number of configurations that are tested */

/* ---- candidates ---- */

static int choose_scale(const struct configurations *c, enum map_scale scale, bool *logarithmic,
                        struct text *notes, struct err *e)
{
    size_t not_positive = 0, first = 0;
    for (size_t i = c->n; i-- > 0;)
        if (!(c->value[i] > 0)) {
            not_positive++;
            first = i;
        }
    *logarithmic = scale != SCALE_RAW && !not_positive;
    if (scale == SCALE_LOG && not_positive) {
        char value[TEXT_NUMBER];
        return err_set(e, ERR_USAGE,
                       "--scale log needs responses above 0, and %zu are not: %s is one; take "
                       "--scale raw",
                       not_positive, text_number(value, c->value[first]));
    }
    if (scale == SCALE_AUTO && not_positive)
        text_addf(notes, "%zu responses are not above 0: the scale is raw.\n", not_positive);
    return 0;
}

static int unknown_method(struct span name, struct err *e)
{
    struct text known = {0};
    char typed[40];
    for (const struct model_method *const *m = model_methods; *m; m++)
        text_addf(&known, "%s, ", (*m)->name);
    err_set(e, ERR_USAGE, "--method %s: it must be one of %sauto",
            span_printable(typed, sizeof typed, name), known.data ? known.data : "");
    text_free(&known);
    return -1;
}

int candidates_parse(struct candidates *to, const struct configurations *c, const char *methods,
                     enum map_scale scale, unsigned degree, uint64_t seed, struct text *notes,
                     struct err *e)
{
    bool logarithmic;
    *to = (struct candidates){0};
    if (choose_scale(c, scale, &logarithmic, notes, e))
        return -1;
    struct map_method like = {.logarithmic = logarithmic, .degree = degree, .seed = seed};
    if (!strcmp(methods, "auto")) {
        to->choose = true;
        for (const struct model_method *const *m = model_methods; *m; m++) {
            to->list[to->count] = like;
            to->list[to->count++].method = *m;
        }
        return 0;
    }
    for (const char *at = methods; *at;) {
        size_t length = strcspn(at, ",");
        like.method = model_method_named(at, length);
        if (!like.method)
            return unknown_method((struct span){at, length}, e);
        if (to->count == CANDIDATES_MAX)
            return err_set(e, ERR_USAGE, "--method names more than %d", CANDIDATES_MAX);
        to->list[to->count++] = like;
        at += length + (at[length] == ',');
    }
    if (!to->count)
        return unknown_method((struct span){"", 0}, e);
    return 0;
}

/* ---- cross-validation ---- */

struct folds {
    /* indices of the configurations of the tested maps, one map after another, each in random
       order */
    size_t *members;
    size_t *begin; /* [map_count + 1] */
    size_t map_count;
    size_t *room; /* scratch for the indices of a split's configurations */
    /* the distances of all tested points (split_wish.reach), without those of points that have no
       interval */
    double *reach;
    size_t reach_count;
    /* [candidates][points]: |relative errors| on the points in the order in which they are left
       out; NaN: the candidate was not tried there, or it extrapolates */
    double *errors;
    size_t points;
};

static int make_folds(struct folds *f, const struct configurations *c, size_t candidates,
                      uint64_t seed, struct err *e)
{
    struct random random;
    random_seed(&random, seed, 1);
    f->members = malloc(c->n * sizeof *f->members);
    f->begin = calloc(c->map_count + 1, sizeof *f->begin);
    f->room = malloc(2 * c->n * sizeof *f->room);
    f->reach = malloc(2 * c->n * sizeof *f->reach);
    if (!f->members || !f->begin || !f->room || !f->reach)
        return err_no_memory(e, "cross-validation");
    size_t maps = POINTS_TRIED * c->map_count / c->n;
    maps = maps > MAPS_TRIED ? maps : MAPS_TRIED;
    f->map_count = c->map_count < maps ? c->map_count : maps;
    for (size_t k = 0; k < f->map_count; k++) {
        size_t map = k * c->map_count / f->map_count;
        size_t n = map_members(c, map, f->members + f->begin[k]);
        shuffle_members(f->members + f->begin[k], n, &random);
        f->begin[k + 1] = f->begin[k] + n;
    }
    f->points = f->begin[f->map_count];
    f->errors = malloc((candidates * f->points + 1) * sizeof *f->errors);
    if (!f->errors)
        return err_no_memory(e, "cross-validation");
    for (size_t i = 0; i < candidates * f->points; i++)
        f->errors[i] = NAN;
    return 0;
}

/* Tests a map fold by fold, and writes the errors of its points. */
static int try_map(struct split_errors *sum, const struct map_method *method, struct folds *f,
                   const struct configurations *c, size_t map, double errors_of[],
                   double confidence, struct err *e)
{
    struct map_model *first = NULL;
    struct map_method like = *method;
    const size_t *members = f->members + f->begin[map];
    const size_t n = f->begin[map + 1] - f->begin[map];
    int status = 0;
    for (size_t fold = 0; fold < split_folds(n) && !status; fold++) {
        struct split_errors errors = {0};
        struct split s = split_fold(members, n, fold, f->room);
        if (!s.test_count)
            continue;
        like.like = s.train_count > LIKE_FROM ? first : NULL;
        double *reach = f->reach + f->reach_count;
        status = split_try(&errors, c, &s, &like,
                           &(struct split_wish){.confidence = confidence,
                                                .inside = true,
                                                .error = errors_of,
                                                .reach = reach,
                                                .kept = first ? NULL : &first},
                           e);
        for (size_t i = 0; i < s.test_count && !status; i++)
            if (!isnan(reach[i]))
                f->reach[f->reach_count++] = reach[i];
        errors_of += s.test_count;
        sum->covered += errors.covered;
        sum->intervals += errors.intervals;
    }
    map_model_free(first);
    return status;
}

bool map_stage_stops(void *context)
{
    const struct map_stage *s = context;
    if (s->observer && s->observer->progress)
        s->observer->progress(s->observer->context, s->words, s->done_share);
    return s->observer && s->observer->stop && *s->observer->stop;
}

/* Returns the factor by which intervals have to be widened: a quantile of the `reach` of the points
   that were left out; 0: there are too few points. `n`: index in f->reach where scratch for sorting
   begins. */
static double widening_of(const struct folds *f, size_t n, double confidence)
{
    const double rank = ceil(confidence * ((double)f->reach_count + 1));
    if (!(rank <= (double)f->reach_count))
        return 0;
    sort_values(f->reach, f->reach_count, f->reach + n);
    const double reach = f->reach[(size_t)rank - 1];
    return isfinite(reach) ? fmax(reach, 1) : 0;
}

static int try_candidate(struct map_score *score, const struct map_method *method, struct folds *f,
                         const struct configurations *c, double errors_of[], double confidence,
                         struct err *e)
{
    struct split_errors sum = {0};
    *score = (struct map_score){.method = method->method->name,
                                .scale = method->logarithmic ? "log" : "raw",
                                .scheme = "random",
                                .share = 1 - 1.0 / CHOOSE_FOLDS,
                                .are_percent = NAN,
                                .coverage = NAN,
                                .splits = CHOOSE_FOLDS};
    f->reach_count = 0;
    for (size_t map = 0; map < f->map_count; map++) {
        struct err problem = {0};
        if (try_map(&sum, method, f, c, map, errors_of + f->begin[map], confidence, &problem)) {
            if (problem.code == ERR_MACHINE || problem.code == ERR_UNDECIDED) {
                *e = problem;
                return -1;
            }
            snprintf(score->problem, sizeof score->problem, "%.150s", problem.msg);
            return 0;
        }
    }
    if (sum.intervals)
        score->coverage = (double)sum.covered / (double)sum.intervals;
    score->widening = widening_of(f, c->n, confidence);
    return 0;
}

/* ---- the choice ---- */

/* Returns true if every candidate that could be fitted has an error on this point. */
static bool is_common(const struct folds *f, const struct map_score scores[], size_t candidates,
                      size_t point)
{
    for (size_t i = 0; i < candidates; i++)
        if (!scores[i].problem[0] && isnan(f->errors[i * f->points + point]))
            return false;
    return true;
}

/* Drops the errors on points that some candidates have no error for, so that all candidates are
   compared over the same points. If there are no common points, each candidate keeps its errors. */
static void keep_common(struct folds *f, const struct map_score scores[], size_t candidates)
{
    bool any = false;
    for (size_t point = 0; point < f->points && !any; point++)
        any = is_common(f, scores, candidates, point);
    for (size_t point = 0; point < f->points && any; point++) {
        if (is_common(f, scores, candidates, point))
            continue;
        for (size_t i = 0; i < candidates; i++)
            f->errors[i * f->points + point] = NAN;
    }
}

static double mean_error(const double errors[], size_t n)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(errors[i])) {
            sum += errors[i];
            count++;
        }
    return count ? sum / (double)count : (double)NAN;
}

/* Returns true if the first errors are larger than the second by no more than the standard error
   of their difference. */
static bool are_tied(const double first[], const double second[], size_t n)
{
    double mean = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const double difference = first[i] - second[i];
        if (isnan(difference))
            continue;
        const double before = difference - mean;
        mean += before / (double)++count;
        squares += before * (difference - mean);
    }
    return count > 1 && mean <= sqrt(squares / (double)(count - 1) / (double)count);
}

/* Returns the candidate with the least error, or the simplest one that ties with it: a straight
   line, or splines. SIZE_MAX: there is none. */
static size_t find_best(const struct folds *f, const struct map_score scores[], size_t candidates)
{
    static const char *const simple[] = {"lr", "mars"};
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < candidates; i++)
        if (!isnan(scores[i].are_percent) &&
            (best == SIZE_MAX || scores[i].are_percent < scores[best].are_percent))
            best = i;
    for (size_t k = 0; k < sizeof simple / sizeof *simple && best != SIZE_MAX; k++)
        for (size_t i = 0; i < candidates; i++)
            if (!strcmp(scores[i].method, simple[k]) &&
                (i == best ||
                 are_tied(f->errors + i * f->points, f->errors + best * f->points, f->points)))
                return i;
    return best;
}

int candidates_choose(struct map_score scores[], size_t *best, const struct candidates *from,
                      const struct configurations *c, double confidence, uint64_t seed,
                      const struct map_observer *observer, struct err *e)
{
    struct folds f = {0};
    int status = make_folds(&f, c, from->count, seed, e);
    *best = SIZE_MAX;
    for (size_t i = 0; i < from->count && !status; i++) {
        struct map_stage stage = {observer, "choosing a method", (double)i / (double)from->count};
        const struct watch watch = {map_stage_stops, &stage};
        struct map_method method = from->list[i];
        method.watch = &watch;
        status = watch_stops(&watch) ? err_set(e, ERR_UNDECIDED, "stopped by a signal")
                                     : try_candidate(&scores[i], &method, &f, c,
                                                     f.errors + i * f.points, confidence, e);
    }
    if (!status) {
        keep_common(&f, scores, from->count);
        for (size_t i = 0; i < from->count; i++)
            if (!scores[i].problem[0])
                scores[i].are_percent = 100 * mean_error(f.errors + i * f.points, f.points);
        *best = find_best(&f, scores, from->count);
    }
    free(f.members);
    free(f.begin);
    free(f.room);
    free(f.reach);
    free(f.errors);
    if (status)
        return -1;
    if (*best == SIZE_MAX)
        return err_set(e, ERR_USAGE, "no method can be fitted; %s: %s", scores[0].method,
                       scores[0].problem[0] ? scores[0].problem
                                            : "no response but 0 was left to compare it with");
    return 0;
}
