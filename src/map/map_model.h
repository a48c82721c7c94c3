/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A variability map: a model over the axes of configurations, and its predictions with intervals.
 */
#ifndef CUPEL_MAP_MAP_MODEL_H
#define CUPEL_MAP_MAP_MODEL_H

#include "map/design.h"
#include "stat/model/model.h"

struct map_model;

/* How a map is made. */
struct map_method {
    const struct model_method *method;
    bool logarithmic; /* factors and response on logarithmic axes; otherwise as they are measured */
    unsigned degree;  /* of MARS; 0: its own choice */
    uint64_t seed;
    bool intervals; /* also of methods that know none: from errors on parts held back, which takes
                       MODEL_FOLDS more fits */
    /* Of other configurations: what takes long to estimate is taken over from it where it has the
       same axes; NULL. */
    const struct map_model *like;
    const struct watch *watch; /* as struct model_options has it */
};

struct map_prediction {
    double value;
    double low, high; /* infinite where no interval is known */
    bool extrapolated;
};

/*
 * A model of the configurations members[0..n). ERR_USAGE with the reason why this method cannot be
 * fitted to them. Owner: map_model_free, of NULL too. What was left out goes into `notes`, if any.
 */
int map_model_fit(struct map_model **out, const struct configurations *c, const size_t members[],
                  size_t n, const struct map_method *method, struct text *notes, struct err *e);
void map_model_free(struct map_model *m);

/* ERR_USAGE: the place has no number on a logarithmic axis. */
int map_model_predict(const struct map_model *m, const struct design_place *place,
                      double confidence, struct map_prediction *out, struct err *e);

#endif
