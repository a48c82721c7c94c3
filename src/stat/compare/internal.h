/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Declarations shared by the files of src/stat/compare: models of how readings depend on earlier
 * ones, and what is left of a series when that dependence is taken out of it. Pure, any thread.
 *
 * A model is a sum of first-order autoregressions and of noise, with a variance of 1 in all:
 *
 *   - one autoregression, with a coefficient of -.5 to .98;
 *   - long memory: six of them, whose time constants of 1 to 1,024 readings have variances that
 *     fall as tau^(2d-1), as in a fractional noise of memory d (C. W. J. Granger, "Long memory
 *     relationships and the aggregation of dynamic models", 1980), d = .1 to .45;
 *   - levels that last 10 to 300 readings, under noise.
 *
 * Each has two weights before any reading is seen: for readings that do not differ from 0, and for
 * those that do. What does not differ may have any memory. Differences are looked for among
 * readings that are nearly independent first of all, where they are found soonest. A few readings
 * cannot show a long memory, and to allow for it would hide every difference: the weights of such
 * models rise with the number of readings, smoothly.
 */
#ifndef CUPEL_STAT_COMPARE_INTERNAL_H
#define CUPEL_STAT_COMPARE_INTERNAL_H

#include <stddef.h>

#include "stat/compare/difference.h"

#define DEPENDENCE_COMPONENTS 6

struct dependence_model {
    double null, other; /* weights: of readings about 0, and about another mean */
    double coefficient[DEPENDENCE_COMPONENTS], variance[DEPENDENCE_COMPONENTS];
    size_t count; /* number of autoregressions */
    double noise; /* the rest of the variance */
};

/* Fills in the models of n readings. Returns their number. */
size_t dependence_models(struct dependence_model to[DEPENDENCE_MODELS], size_t n);

/* Whitens x[0..n) and y[0..n). The innovations are those of Kalman's filter, in O(n). */
struct whitened dependence_whiten(const struct dependence_model *model, const double x[],
                                  const double y[], size_t n);

#endif
