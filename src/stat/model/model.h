/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A variability map: a function of factors that goes through, or near, measured points (Cameron et
 * al., *MOANA* (2019), sections 3 and 4). One row of an ops table for each method.
 *
 * Pure; any thread. A model owns its memory and copies the points. Scaling is done here, once: a
 * method sees numbers only, already on the logarithmic axis where that was asked for, and its
 * answers are brought back to the response's own unit. Nothing that comes out is NaN.
 */
#ifndef CUPEL_STAT_MODEL_MODEL_H
#define CUPEL_STAT_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stat/basic/watch.h"

#define MODEL_MAX_DIMENSIONS 32

struct model_points {
    size_t n, dimensions;
    const double *at;    /* [n][dimensions], row after row */
    const double *value; /* [n] */
    /* Names for messages; NULL: "factor 1" and "the response". Copied by no one. */
    const char *const *factor; /* [dimensions] */
    const char *response;
};

struct model_options {
    const bool *log_factor; /* [dimensions]; NULL: none is taken on a logarithmic axis */
    bool log_response;
    unsigned degree; /* MARS: factors in a product at most; 0: the method's own choice */
    uint64_t seed;
    /* A model by the same method of other points with the same axes: what takes long to estimate (a
     * Gaussian process's parameters) is taken over from it. NULL: it is estimated. */
    const struct model *like;
    const struct watch *watch; /* of fits that take long: they end with ERR_UNDECIDED; NULL */
};

struct model_answer {
    double value;      /* in the response's unit */
    double error;      /* standard error of a new measurement on the model's own axis (log when
                          log_response); infinite when the method knows none */
    double degrees;    /* of freedom of `error`; infinite where its quantiles are normal */
    bool extrapolated; /* outside the hull, or the ranges, of the measured points */
};

struct model; /* owned by the caller of model_fit; model_free(NULL) is fine */

struct model_method {
    const char *name;  /* as options and reports write it: lr lsp mars delaunay gp */
    const char *words; /* "linear Shepard" */
    bool distinct;     /* no two points may have the same factors: the method interpolates */
    bool full_rank;    /* no factor may be constant, or a linear combination of the others */
    size_t (*fewest_points)(size_t dimensions);
    /*
     * `points` are scaled, finite and as the two members above ask; they stay where they are until
     * `release`. The axes of `options` are done with; the rest of it is for the method. *state is
     * the method's own memory, left alone on failure.
     */
    int (*fit)(void **state, const struct model_points *points, const struct model_options *options,
               struct err *e);
    /* The same with what takes long taken over from the state `like`; NULL: nothing takes long. */
    int (*fit_like)(void **state, const struct model_points *points, const void *like,
                    struct err *e);
    /* `at` is scaled. *out comes with an infinite error, infinite degrees, and `extrapolated` true
     * outside the ranges of the points. */
    void (*answer)(const void *state, const double at[], struct model_answer *out);
    void (*release)(void *state);
};

extern const struct model_method *const model_methods[]; /* ends with NULL */
const struct model_method *model_method_named(const char *name, size_t length);

/*
 * ERR_USAGE with the reason, which names points by number, from 1, and factors: too few points, a
 * value that is not finite, beyond 1e60, or <= 0 on a logarithmic axis, duplicates where the method
 * interpolates, constant or collinear factors where it cannot have them.
 */
int model_fit(struct model **out, const struct model_method *method,
              const struct model_points *points, const struct model_options *options,
              struct err *e);

/* at[dimensions]: finite, and > 0 on a logarithmic axis, which model_check_at sees to (ERR_USAGE).
 * An answer too large for a double is the largest there is. */
struct model_answer model_answer(const struct model *m, const double at[]);
int model_check_at(const struct model *m, const double at[], struct err *e);

void model_free(struct model *m);

#endif
