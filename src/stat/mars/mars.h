/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Multivariate adaptive regression splines: Friedman, *Annals of Statistics* 19 (1991), with the
 * queue of *Fast MARS* (1993) and the refinements of R's package earth 5.3, whose terms it finds
 * (Cameron et al., *MOANA* (2019), 5.2).
 *
 * The model is a sum of terms, each a product of hinges max(0, x - knot) or max(0, knot - x), or of
 * a factor itself, in different factors. The forward pass adds the pair of terms that lowers the
 * residual sum of squares (RSS) most; pruning then removes terms, and keeps the number of terms
 * with the least generalised cross-validation
 *
 *     GCV = RSS / (n (1 - C / n)^2),  C = terms + penalty (terms - 1) / 2
 *
 * Pure; any thread. Needs n >= 2 and finite numbers. Time: about n * terms^2 * factors.
 */
#ifndef CUPEL_STAT_MARS_MARS_H
#define CUPEL_STAT_MARS_MARS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct mars_options {
    unsigned degree;          /* maximum number of factors in a term, >= 1 */
    size_t max_terms;         /* terms of the forward pass, the intercept and unused partners
                                 included */
    double penalty;           /* penalty of a knot, in terms */
    double threshold;         /* the forward pass ends when the gain in R squared is below it */
    size_t min_span;          /* cases from one knot to the next; 0: chosen by n and the factors */
    size_t end_span;          /* cases before the first and after the last knot; 0: chosen */
    double adjust_end_span;   /* end_span is multiplied by (1 + this) for a term of several
                                 factors */
    size_t fast_parents;      /* terms that are tried as parents in each step; 0: all */
    double fast_ageing;       /* ranks that a parent rises with each term added since its last
                                 trial */
    bool linear_without_knot; /* a knot at the smallest value enters as the plain factor, without a
                                 hinge */
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
    const signed char *direction; /* [terms][factors]: enum mars_direction; the intercept first */
    const double *knot;           /* [terms][factors] */
    const double *coefficient;    /* [terms] */
    size_t forward_terms;         /* number of terms that pruning chose from */
    double rss, gcv;
    double r_squared, generalised_r_squared; /* 1 less RSS, or GCV, divided by that of the intercept
                                                alone */
};

/* Fits a model; at[n][factors], row after row. ERR_MACHINE: no memory. mars_free() frees `m`. */
int mars_fit(struct mars *m, const double at[], const double value[], size_t n, size_t factors,
             const struct mars_options *options, struct err *e);
double mars_value(const struct mars *m, const double at[]);
void mars_free(struct mars *m);

#endif
