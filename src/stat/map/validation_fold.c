/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a map to a part of the configurations and tests it on the others. */
#include <math.h>

#include "stat/map/candidates.h"
#include "stat/map/map_model.h"

size_t map_members(const struct configurations *c, size_t map, size_t members[])
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->map[i] == map)
            members[n++] = i;
    return n;
}

void shuffle_members(size_t members[], size_t n, struct random *random)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = random_below(random, i), other = members[i - 1];
        members[i - 1] = members[k];
        members[k] = other;
    }
}

size_t split_folds(size_t n)
{
    return n <= ONE_BY_ONE ? n : CHOOSE_FOLDS;
}

struct split split_fold(const size_t members[], size_t n, size_t fold, size_t room[])
{
    struct split s = {.train = room, .test = room + n};
    for (size_t i = 0; i < n; i++)
        if (i % split_folds(n) == fold)
            room[n + s.test_count++] = members[i];
        else
            room[s.train_count++] = members[i];
    return s;
}

static void count_error(struct split_errors *errors, double measured, double predicted)
{
    if (measured == 0)
        return;
    errors->relative += fabs((predicted - measured) / measured);
    errors->count++;
}

/* Returns the error of a prediction divided by half of its interval, on the axis on which the
   interval is symmetric. */
static double reach_of(const struct map_prediction *p, double measured, bool logarithmic)
{
    if (!isfinite(p->high))
        return NAN;
    const double error = logarithmic ? fabs(log(measured / p->value)) : fabs(measured - p->value);
    const double arm = logarithmic ? log(p->high / p->value) : p->high - p->value;
    return error > 0 ? error / arm : 0;
}

int split_try(struct split_errors *errors, const struct configurations *c,
              const struct split *split, const struct map_method *method,
              const struct split_wish *wish, struct err *e)
{
    struct map_model *m = NULL;
    *errors = (struct split_errors){0};
    if (map_model_fit(&m, c, split->train, split->train_count, method, NULL, e))
        return -1;
    for (size_t i = 0; i < split->test_count; i++) {
        double measured = c->value[split->test[i]];
        struct design_place place = design_place_of(c, split->test[i]);
        struct map_prediction p;
        if (map_model_predict(m, &place, wish->confidence, &p, e)) {
            map_model_free(m);
            return -1;
        }
        const bool counts = !wish->inside || !p.extrapolated;
        if (counts)
            count_error(errors, measured, p.value);
        if (counts && isfinite(p.high)) {
            errors->intervals++;
            errors->covered += measured >= p.low && measured <= p.high;
        }
        if (wish->error)
            wish->error[i] =
                counts && measured != 0 ? fabs((p.value - measured) / measured) : (double)NAN;
        if (wish->predicted)
            wish->predicted[i] = p.value;
        if (wish->reach)
            wish->reach[i] = counts ? reach_of(&p, measured, method->logarithmic) : NAN;
    }
    if (wish->kept)
        *wish->kept = m;
    else
        map_model_free(m);
    return 0;
}

struct split_errors split_try_constant(const struct configurations *c, const struct split *split,
                                       bool logarithmic)
{
    struct split_errors errors = {0};
    double mean = 0;
    for (size_t i = 0; i < split->train_count; i++) {
        double value = c->value[split->train[i]];
        mean += (logarithmic ? log(value) : value) / (double)split->train_count;
    }
    for (size_t i = 0; i < split->test_count; i++)
        count_error(&errors, c->value[split->test[i]], logarithmic ? exp(mean) : mean);
    return errors;
}
