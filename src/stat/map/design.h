/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Factors as the axes of a model: a factor of numbers is one axis, a factor of k texts is k - 1
 * indicator axes. Factors without information are left out, with a note: constant factors, and
 * linear combinations of others. A point that breaks such a linear relation counts as extrapolated.
 *
 * Plain data that point into the configurations. Pure, any thread.
 */
#ifndef CUPEL_STAT_MAP_DESIGN_H
#define CUPEL_STAT_MAP_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/map/configurations.h"
#include "stat/model/model.h"

struct design_axis {
    size_t factor;
    size_t level; /* for a factor of texts: the level that the axis indicates */
    bool is_indicator;
};

struct design {
    const struct configurations *c;
    size_t dimensions; /* number of axes of the model, which come first */
    size_t axis_count; /* number of all axes, including those that were left out */
    struct design_axis axes[MODEL_MAX_DIMENSIONS];
    bool log_factor[MODEL_MAX_DIMENSIONS];
    /* A left-out axis as a linear function of the others: offset + sum coefficient * axis. */
    struct design_dependence {
        double offset, coefficient[MODEL_MAX_DIMENSIONS], tolerance;
    } * dependences; /* [axis_count - dimensions], one for each left-out axis */
};

/* A point of a map: the values of numeric factors, and the levels of factors of texts. */
struct design_place {
    double number[FACTORS_MAX];
    size_t level[FACTORS_MAX];
};

/*
 * Makes the axes for the configurations members[0..n). With `logarithmic`, factors whose levels are
 * all above 0 get logarithmic axes. `notes`, which may be NULL, receives what was left out.
 * ERR_USAGE: no axis is left, or there are too many. ERR_MACHINE: there is no memory. The caller
 * releases *d with design_free.
 */
int design_make(struct design *d, const struct configurations *c, const size_t members[], size_t n,
                bool logarithmic, struct text *notes, struct err *e);
void design_free(struct design *d);

/* Returns the place of a configuration. */
struct design_place design_place_of(const struct configurations *c, size_t configuration);

/* Computes the coordinates of a place, in the factors' units. Returns false if the place breaks a
   linear relation that all configurations keep. */
bool design_coordinates(const struct design *d, const struct design_place *place,
                        double at[MODEL_MAX_DIMENSIONS]);

#endif
