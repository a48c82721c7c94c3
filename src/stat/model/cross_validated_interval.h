/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prediction intervals for any method, from its errors on points that it was not fitted to. The
 * points are divided into MODEL_FOLDS parts, and each part is predicted by a model of all other
 * points. An interval reaches as far from an answer as these errors. The errors are taken on the
 * model's own axis and divided by the mean error of neighbouring points, since errors often grow
 * with the response (Lei et al., Distribution-free predictive inference for regression, JASA 113,
 * 2018; in parts: Vovk, Cross-conformal predictors, 2015).
 *
 * An interval holds a new measurement at a configuration like those that were measured. It says
 * nothing about places outside their ranges: see `extrapolated` of the answer.
 *
 *     model_fit(&m, method, &points, &options, e);
 *     model_residuals_make(&r, method, &points, &options, e);
 *     model_residuals_interval(r, at, model_answer(m, at).value, 0.95);
 */
#ifndef CUPEL_STAT_MODEL_CROSS_VALIDATED_INTERVAL_H
#define CUPEL_STAT_MODEL_CROSS_VALIDATED_INTERVAL_H

#include "stat/model/model.h"

#define MODEL_FOLDS 10

/* Minimum number of points for a 95 % interval; higher confidence needs more. */
#define MODEL_INTERVAL_POINTS 20

struct model_interval {
    /* in the response's unit; an end that is not known is infinite (low: 0 with log_response) */
    double low, high;
};

/* owned by the caller of model_residuals_make; model_residuals_free(NULL) does nothing */
struct model_residuals;

/*
 * Fits MODEL_FOLDS models and keeps their errors. `points` and `options` are not needed afterwards;
 * options->seed determines the parts. Parts whose model cannot be fitted are left out. ERR_USAGE,
 * with the reason of the last failure: fewer than MODEL_INTERVAL_POINTS points are left.
 */
int model_residuals_make(struct model_residuals **out, const struct model_method *method,
                         const struct model_points *points, const struct model_options *options,
                         struct err *e);
void model_residuals_free(struct model_residuals *r);

/*
 * Returns the interval around `value`, which is the answer at `at` of the model of all points. Its
 * ends are unknown if there are fewer points than the confidence needs (about 1 / (1 -
 * confidence)). Pure; any thread may call it.
 */
struct model_interval model_residuals_interval(const struct model_residuals *r, const double at[],
                                               double value, double confidence);

#endif
