/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Multivariate adaptive regression splines: Friedman, *Annals of Statistics* 19 (1991), with the
 * queue of *Fast MARS* (1993) and the refinements of R's package earth 5.3; it finds the same
 * terms as earth (Cameron et al., *MOANA* (2019), 5.2).
 *
 * The model is a sum of terms, each a product of hinges max(0, x - knot) or max(0, knot - x), or
 * of a factor itself, in different factors. The forward pass adds the pair of terms that lowers
 * the residual sum of squares (RSS) most; pruning then removes terms, and keeps the number of
 * terms with the least generalised cross-validation
 *
 *     GCV = RSS / (n (1 - C / n)^2),  C = terms + penalty (terms - 1) / 2
 *
 * Pure; any thread. There must be at least 2 points, and all numbers must be finite. Time: about
 * n * terms^2 * factors.
 */
#ifndef CUPEL_STAT_MARS_MARS_H
#define CUPEL_STAT_MARS_MARS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct mars_options {
    unsigned degree; /* maximum number of factors in a term, >= 1 */
    /* maximum number of terms in the forward pass, including the intercept and unused partners */
    size_t max_terms;
    double penalty;   /* penalty of a knot, in units of a term */
    double threshold; /* minimum gain in R squared: below it the forward pass ends */
    /* cases from one knot to the next; 0: computed from n and the factors */
    size_t min_span;
    /* cases before the first and after the last knot; 0: computed from the factors */
    size_t end_span;
    /* for a term of several factors, end_span is multiplied by (1 + this number) */
    double adjust_end_span;
    size_t fast_parents; /* number of terms that are tried as parents in each step; 0: all */
    /* number of ranks by which a parent that is not tried rises each time that a term is added */
    double fast_ageing;
    /* a knot at the smallest value is replaced by the plain factor, without a hinge */
    bool linear_without_knot;
};

/* Returns earth's defaults for all options but the degree. */
struct mars_options mars_defaults(size_t factors, unsigned degree);

enum mars_direction {
    MARS_BELOW = -1, /* max(0, knot - x) */
    MARS_ABSENT = 0,
    MARS_ABOVE = 1, /* max(0, x - knot) */
    MARS_LINEAR = 2 /* the plain factor x */
};

struct mars {
    struct arena arena; /* owns the memory of all members below */
    size_t factors, terms;
    /* [terms][factors]: enum mars_direction; the intercept is the first term */
    const signed char *direction;
    const double *knot;        /* [terms][factors] */
    const double *coefficient; /* [terms] */
    /* number of terms after the forward pass, from which pruning chose */
    size_t forward_terms;
    double rss, gcv;
    /* 1 minus the model's RSS, or GCV, over that of the intercept alone */
    double r_squared, generalised_r_squared;
};

/* Fits a model to at[n][factors], row by row. ERR_MACHINE: no memory. The caller releases `m` with
   mars_free(). */
int mars_fit(struct mars *m, const double at[], const double value[], size_t n, size_t factors,
             const struct mars_options *options, struct err *e);
double mars_value(const struct mars *m, const double at[]);
void mars_free(struct mars *m);

#endif
