/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/mars. */
#ifndef CUPEL_STAT_MARS_INTERNAL_H
#define CUPEL_STAT_MARS_INTERNAL_H

#include "stat/mars/mars.h"

/* The cases as columns: y, and each factor, has n values one after the other. */
struct mars_case_table {
    size_t n, factors;
    double *x;     /* [factors][n] */
    size_t *order; /* [factors][n]: the cases by ascending x, ties in their order */
    double *y;     /* [n], mean 0 and standard deviation 1 */
};

/* The terms during the search. `used` is false for the unused place of a term without a partner. */
struct mars_terms {
    size_t count, max;
    signed char *direction; /* [max][factors] */
    double *knot;           /* [max][factors] */
    unsigned *degree;       /* [max] */
    bool *used;             /* [max] */
    double *basis;          /* [max][n]: the values of each term */
};

/* The terms made orthogonal to each other, and the component of y along each. */
struct mars_projection {
    size_t n, max;
    double *column;      /* [max][n]: of length 1, or zero */
    double *centred_row; /* [n][max]: the columns less their means, case after case */
    double *y_along;     /* [max] */
};

struct mars_spans {
    size_t first, each, end; /* numbers of cases: before the first knot, between knots, and after
                                the last knot */
};

struct mars_spans mars_spans_of(const struct mars_options *o, const struct mars_case_table *t,
                                const double parent[], unsigned degree);

/* The input of a search for a knot: the parent, the factor, and the number of columns of the
   projection. */
struct mars_knot_search {
    const struct mars_case_table *cases;
    const struct mars_projection *projection;
    const double *parent; /* [n]: the parent's values */
    size_t factor, columns;
    struct mars_spans spans;
    double linear_gain; /* gain of the plain factor, without a knot */
    double max_gain;    /* a larger gain is rounding */
    double *room;       /* [2 * max] */
};

/* Searches for a better knot. True: `gain` was exceeded, and `place` is the knot's place in the
   factor's order. */
bool mars_search_knots(const struct mars_knot_search *s, double *gain, size_t *place);

/* Adds terms to the intercept, which must be there already. */
int mars_forward(struct mars_terms *t, const struct mars_case_table *cases,
                 const struct mars_options *o, struct err *e);

/* The response that the pruned terms have to explain. */
struct mars_fit_case {
    const double *y; /* [n], in its own unit */
    size_t n;
    double penalty;
};

/*
 * Sets keep[term] for the terms that stay, and coefficient[] to their coefficients in the same
 * order. Fills in the numbers of terms and the sums of `m`.
 */
int mars_prune(struct mars *m, const struct mars_terms *t, const struct mars_fit_case *c,
               bool keep[], double coefficient[], struct err *e);

double mars_gcv(double rss, size_t terms, size_t n, double penalty);

#endif
