/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A variability map: a model over the axes of configurations, and its predictions with intervals.
 */
#ifndef CUPEL_STAT_MAP_MAP_MODEL_H
#define CUPEL_STAT_MAP_MAP_MODEL_H

#include "stat/map/design.h"
#include "stat/model/model.h"

struct map_model;

/* How a map is made. */
struct map_method {
    const struct model_method *method;
    /* true: factors and response are on logarithmic axes; false: they are used as measured */
    bool logarithmic;
    unsigned degree; /* for MARS: maximum number of factors in a product; 0: the default of MARS */
    uint64_t seed;
    /* also make intervals for methods that do not state their own errors, from the errors on parts
       of the configurations that were held back, which takes MODEL_FOLDS more fits */
    bool intervals;
    /* factor by which intervals are widened when the method states its own errors
       (candidates_choose); 0: they are not widened */
    double widening;
    /* A model of other configurations, or NULL. If it has the same axes, parameters that take long
       to estimate are copied from it. */
    const struct map_model *like;
    const struct watch *watch; /* observer of fits that take long (struct model_options), or NULL */
};

struct map_prediction {
    double value;
    double low, high; /* prediction interval; infinite when it is not known */
    bool extrapolated;
};

/*
 * Fits a model to the configurations members[0..n). Errors: ERR_USAGE with the reason why this
 * method cannot be fitted to these configurations. The caller releases *out with map_model_free,
 * which accepts NULL. `notes`, if not NULL, receives what was left out.
 */
int map_model_fit(struct map_model **out, const struct configurations *c, const size_t members[],
                  size_t n, const struct map_method *method, struct text *notes, struct err *e);
void map_model_free(struct map_model *m);

/* Predicts the response at a place. ERR_USAGE: the place has no coordinate on a logarithmic
   axis. */
int map_model_predict(const struct map_model *m, const struct design_place *place,
                      double confidence, struct map_prediction *out, struct err *e);

#endif
