/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analysis of variance of a response by factors that have levels, with interactions of two
 * factors.
 *
 * The observations come as cells, which are combinations of levels. A cell has its number of
 * observations and their mean; the sum of squares within all cells is one number. Least squares
 * over the cells, weighted by the numbers of observations, gives the same result as least squares
 * over the observations. A column that depends on others, because combinations were not measured,
 * has no degree of freedom. Pure; any thread may call it.
 *
 *   type I         each term as an addition to the terms before it: main effects in the order of
 *                  the factors, then interactions. The sums of squares add up to all that the
 *                  model explains.
 *   type II        each term as an addition to all other terms that do not contain it (Yates,
 *                  1934). The order of the factors does not matter.
 *   eta^2          SS / SS_total
 *   partial eta^2  SS / (SS + SS_residual)
 *   omega^2        (SS - df MS_residual) / (SS_total + MS_residual): eta^2 without its bias
 *                  (Hays, 1963)
 */
#ifndef CUPEL_STAT_ANOVA_ANOVA_H
#define CUPEL_STAT_ANOVA_ANOVA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ANOVA_FACTORS 32
#define ANOVA_TERMS   (ANOVA_FACTORS * (ANOVA_FACTORS + 1) / 2)

struct anova_data {
    size_t cells, factors;
    const uint32_t *level;     /* [cells][stride] */
    size_t stride;             /* at least `factors` */
    const size_t *level_count; /* [factors] */
    const double *mean;        /* [cells] */
    const double *count;       /* [cells], number of observations of each cell, above 0 */
    /* sum of squared deviations of observations from the means of their cells */
    double within;
};

/* Sums of squares of a term and what follows from them; NaN where the divisor is 0. */
struct anova_squares {
    double degrees, squares, mean_square, f, p;
    double eta2, partial_eta2, omega2;
};

struct anova_term {
    size_t first, second; /* indices of the term's two factors; equal for a main effect */
    struct anova_squares type1, type2;
};

struct anova {
    size_t term_count;
    struct anova_term terms[ANOVA_TERMS];
    /* number of observations; sum of squares of all observations about their mean */
    double observations, total;
    double residual_degrees, residual, residual_mean_square;
};

/*
 * Computes the analysis. With `interactions` all pairs of factors are terms as well, otherwise only
 * the main effects. ERR_USAGE: fewer than two observations, or more levels than fit into 128 MiB.
 * ERR_MACHINE: there is no memory.
 */
int anova_make(struct anova *a, const struct anova_data *data, bool interactions, struct err *e);

#endif
