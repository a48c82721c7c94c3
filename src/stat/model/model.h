/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A variability map: a function of factors that goes through, or near, measured points (Cameron
 * et al., *MOANA* (2019), sections 3 and 4). Each method is one row of functions.
 *
 * Pure; any thread. A model owns its memory and copies the points. Scaling is done once for all
 * methods: a method gets only numbers, which are already on the logarithmic axis if one was
 * requested, and its answers are converted back to the response's own unit. No result is NaN.
 */
#ifndef CUPEL_STAT_MODEL_MODEL_H
#define CUPEL_STAT_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stat/basic/progress_observer.h"

#define MODEL_MAX_DIMENSIONS 32

struct model_points {
    size_t n, dimensions;
    const double *at;    /* [n][dimensions], row by row */
    const double *value; /* [n] */
    /* Names for messages; NULL: "factor 1" and "the response". The pointers must stay valid. */
    const char *const *factor; /* [dimensions] */
    const char *response;
};

struct model_options {
    /* [dimensions], true: the factor is on a logarithmic axis; NULL: no factor is */
    const bool *log_factor;
    bool log_response;
    unsigned degree; /* for MARS: maximum number of factors in a product; 0: the method's default */
    uint64_t seed;
    /* A model of other points by the same method with the same axes, from which parameters that
       take long to estimate (of a Gaussian process) are copied. NULL: they are estimated. */
    const struct model *like;
    /* watches fits that take long, and can end them with ERR_UNDECIDED; or NULL */
    const struct watch *watch;
};

struct model_answer {
    double value; /* predicted response, in the unit of the measured ones */
    /* standard error of a new measurement on the model's own axis (log when log_response); infinite
       when the method does not state one */
    double error;
    /* degrees of freedom of `error`; infinite: its quantiles are those of the normal
       distribution */
    double degrees;
    /* the place lies outside the convex hull, or outside the ranges, of the measured points */
    bool extrapolated;
};

struct model; /* owned by the caller of model_fit; model_free(NULL) does nothing */

struct model_method {
    const char *name;  /* name in options and reports: lr lsp mars delaunay gp */
    const char *words; /* name in words, such as "linear Shepard" */
    /* no two points may have the same factors, because the method interpolates */
    bool distinct;
    bool full_rank; /* no factor may be constant, or a linear combination of the others */
    size_t (*fewest_points)(size_t dimensions);
    /*
     * Fits the method. `points` are scaled and finite, meet the two requirements above, and stay
     * valid until `release`. The axes of `options` are already applied; its other members are
     * settings of the method. *state is the method's own memory; it is not set on failure.
     */
    int (*fit)(void **state, const struct model_points *points, const struct model_options *options,
               struct err *e);
    /* Like fit, but copies estimates that take long from the state `like`. The pointer is NULL if
       no estimate of the method takes long. */
    int (*fit_like)(void **state, const struct model_points *points, const void *like,
                    struct err *e);
    /* Sets *out for the scaled place `at`. The caller has set an infinite error, infinite degrees,
       and `extrapolated` to true outside the ranges of the points. */
    void (*answer)(const void *state, const double at[], struct model_answer *out);
    void (*release)(void *state);
};

extern const struct model_method *const model_methods[]; /* ends with NULL */
const struct model_method *model_method_named(const char *name, size_t length);

/*
 * Fits a model. ERR_USAGE, with a reason that names factors, and points by number from 1: too few
 * points, a value that is not finite, beyond 1e60, or <= 0 on a logarithmic axis, duplicates where
 * the method interpolates, constant or collinear factors where it does not allow them.
 */
int model_fit(struct model **out, const struct model_method *method,
              const struct model_points *points, const struct model_options *options,
              struct err *e);

/* Returns the model's answer at at[dimensions]. The coordinates must be finite, and > 0 on a
   logarithmic axis, which model_check_at checks (ERR_USAGE). An answer too large for a double
   becomes the largest double. */
struct model_answer model_answer(const struct model *m, const double at[]);
int model_check_at(const struct model *m, const double at[], struct err *e);

void model_free(struct model *m);

#endif
