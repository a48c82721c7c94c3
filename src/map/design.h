/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Factors as the axes of a model: a number is an axis, a text of k levels is k - 1 indicators. What
 * says nothing is left out: constant factors, and those that follow from others by a straight line;
 * notes say so. A point that differs there is extrapolated, whatever the model says.
 *
 * Plain data that point into the configurations. Pure, any thread.
 */
#ifndef CUPEL_MAP_DESIGN_H
#define CUPEL_MAP_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "map/configurations.h"
#include "stat/model/model.h"

struct design_axis {
    size_t factor;
    size_t level; /* of a text: the one that the axis indicates */
    bool is_indicator;
};

struct design {
    const struct configurations *c;
    size_t dimensions; /* axes of the model, the first ones */
    size_t axis_count; /* with those that were left out */
    struct design_axis axes[MODEL_MAX_DIMENSIONS];
    bool log_factor[MODEL_MAX_DIMENSIONS];
    /* What was left out is offset + sum coefficient * axis. */
    struct design_dependence {
        double offset, coefficient[MODEL_MAX_DIMENSIONS], tolerance;
    } * dependences; /* [axis_count - dimensions] */
};

/* A point of a map: numbers of the factors, and levels of those that are text. */
struct design_place {
    double number[FACTORS_MAX];
    size_t level[FACTORS_MAX];
};

/*
 * The axes for the configurations `members`[0..n). With `logarithmic` the factors whose levels are
 * all above 0 are taken on logarithmic axes. What was left out goes into `notes`, which may be
 * NULL. ERR_USAGE: nothing is left, or too many axes; ERR_MACHINE. Owner: design_free.
 */
int design_make(struct design *d, const struct configurations *c, const size_t members[], size_t n,
                bool logarithmic, struct text *notes, struct err *e);
void design_free(struct design *d);

/* Do they have the same axes, in the same order and on the same scales? */
bool design_same_axes(const struct design *a, const struct design *b);

/* The place of a configuration. */
struct design_place design_place_of(const struct configurations *c, size_t configuration);

/* The coordinates of a place, in the factors' units; false: it differs where all configurations
   agree. */
bool design_coordinates(const struct design *d, const struct design_place *place,
                        double at[MODEL_MAX_DIMENSIONS]);

#endif
