/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/stat/mars share. */
#ifndef CUPEL_STAT_MARS_INTERNAL_H
#define CUPEL_STAT_MARS_INTERNAL_H

#include "stat/mars/mars.h"

/* A column of case values, or a factor, has n values one after the other. */
struct mars_case_table {
    size_t n, factors;
    double *x;     /* [factors][n] */
    size_t *order; /* [factors][n]: the cases by ascending x, ties in their order */
    double *y;     /* [n], mean 0 and standard deviation 1 */
};

/* The terms while they are found. `used` is false for the partner of a term that has none. */
struct mars_terms {
    size_t count, max;
    signed char *direction; /* [max][factors] */
    double *knot;           /* [max][factors] */
    unsigned *degree;       /* [max] */
    bool *used;             /* [max] */
    double *basis;          /* [max][n]: the values of each term */
};

/*
 * The terms that are tried as parents (*Fast MARS*): ranked by what a child of theirs gained when
 * they were tried last, and by how long ago that was.
 */
struct mars_parent {
    size_t term;
    double gain;
    size_t tried_at; /* the number of terms then */
    double aged_rank;
};

struct mars_parents {
    size_t count;
    struct mars_parent *by_term; /* [max] */
    struct mars_parent *ranked;  /* [max]: the copy that the step walks along */
};

void mars_parents_add(struct mars_parents *q, size_t terms, double gain);
void mars_parents_rank(struct mars_parents *q, size_t terms, double ageing);

/* The terms orthogonal to each other, and what y has along them. */
struct mars_projection {
    size_t n, max;
    double *column;      /* [max][n]: of length 1, or zero */
    double *centred_row; /* [n][max]: the same less the column's mean, case after case */
    double *y_along;     /* [max] */
};

/*
 * Column `at` becomes what `values` has beside the used columns before it. False: that is next to
 * nothing. With `refuse` the column is zero then.
 */
bool mars_project(struct mars_projection *p, size_t at, const double values[], const bool used[],
                  const double y[], bool refuse);

struct mars_spans {
    size_t first, each, end; /* cases: to the first knot, between knots, without any at the end */
};

struct mars_spans mars_spans_of(const struct mars_options *o, const struct mars_case_table *t,
                                const double parent[], unsigned degree);

/* A knot to try: on which parent and factor, beside how many columns of the projection. */
struct mars_knot_search {
    const struct mars_case_table *cases;
    const struct mars_projection *projection;
    const double *parent; /* [n]: the parent's values */
    size_t factor, columns;
    struct mars_spans spans;
    double linear_gain; /* of the factor without a knot */
    double max_gain;    /* a gain above it is rounding */
    double *room;       /* [2 * max] */
};

/* True: `gain` was exceeded, and `place` in the factor's order has the knot. */
bool mars_search_knots(const struct mars_knot_search *s, double *gain, size_t *place);

/* Adds terms to the intercept, which is there. */
int mars_forward(struct mars_terms *t, const struct mars_case_table *cases,
                 const struct mars_options *o, struct err *e);

/* What the pruned terms are to explain. */
struct mars_fit_case {
    const double *y; /* [n], in its own unit */
    size_t n;
    double penalty;
};

/*
 * keep[term] becomes true for the terms that stay; coefficient[] has theirs, in the same order.
 * Fills in the numbers of terms and the sums of `m`.
 */
int mars_prune(struct mars *m, const struct mars_terms *t, const struct mars_fit_case *c,
               bool keep[], double coefficient[], struct err *e);

double mars_gcv(double rss, size_t terms, size_t n, double penalty);

#endif
