/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/mars. */
#ifndef CUPEL_STAT_MARS_INTERNAL_H
#define CUPEL_STAT_MARS_INTERNAL_H

#include "stat/mars/mars.h"

/* The cases as columns: y, and each factor, are n consecutive values. */
struct mars_case_table {
    size_t n, factors;
    double *x; /* [factors][n] */
    /* [factors][n]: indices of the cases by ascending x, equal x in the order of the cases */
    size_t *order;
    double *y; /* [n], response with mean 0 and standard deviation 1 */
};

/* The terms during the search. `used` is false where a term without a partner leaves an index
   unused. */
struct mars_terms {
    size_t count, max;
    signed char *direction; /* [max][factors] */
    double *knot;           /* [max][factors] */
    unsigned *degree;       /* [max] */
    bool *used;             /* [max] */
    double *basis;          /* [max][n]: the values of each term */
};

/* The terms in orthogonal form, and the component of y along each. */
struct mars_projection {
    size_t n, max;
    double *column;      /* [max][n]: columns of length 1, or zero */
    double *centred_row; /* [n][max]: the columns minus their means, row by row */
    double *y_along;     /* [max] */
};

struct mars_spans {
    /* numbers of cases: before the first knot, between two knots, after the last knot */
    size_t first, each, end;
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
    double max_gain;    /* a larger gain is a rounding error and is not used */
    double *room;       /* [2 * max] */
};

/* Searches for a better knot. Returns true if a gain above *gain was found: sets *gain to it, and
 *place to the knot's position in the factor's order. */
bool mars_search_knots(const struct mars_knot_search *s, double *gain, size_t *place);

/* Adds terms after the intercept, which must be the first term already. */
int mars_forward(struct mars_terms *t, const struct mars_case_table *cases,
                 const struct mars_options *o, struct err *e);

/* The response to which the terms that pruning leaves are fitted. */
struct mars_fit_case {
    const double *y; /* [n], the response in the unit of the measurements */
    size_t n;
    double penalty;
};

/*
 * Sets keep[term] for the terms that remain, and coefficient[] to their coefficients in the same
 * order. Fills in the numbers of terms and the sums of `m`.
 */
int mars_prune(struct mars *m, const struct mars_terms *t, const struct mars_fit_case *c,
               bool keep[], double coefficient[], struct err *e);

double mars_gcv(double rss, size_t terms, size_t n, double penalty);

#endif
