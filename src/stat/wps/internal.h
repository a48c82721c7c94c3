/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/wps. */
#ifndef CUPEL_STAT_WPS_INTERNAL_H
#define CUPEL_STAT_WPS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "stat/wps/work_rate.h"

/* ---- line ---- */

/*
 * A straight line through (work, seconds), seconds = setup + slope work. With a third column it
 * is a line with a bend: below the work amount `bend` every unit of work adds `extra` to the
 * slope.
 *
 * Fitted by generalised least squares, with the rounds in the order in which they ran:
 *
 *   noise               of the same size in every round, or proportional to the expected duration,
 *                       whichever makes the durations more likely
 *   autocorrelation     an autoregression of the residuals (Burg; order by Akaike's criterion, at
 *                       most 2 and n / 10), its persistence r raised by its bias (1 + r)
 *                       sqrt(order) / n. Without autocorrelation this is ordinary least squares.
 *   error               of a coefficient: the larger of the model's estimate and HC3, the sandwich
 *                       estimate (MacKinnon, White, Journal of Econometrics 29, 1985), which is
 *                       valid for noise of varying size; its square is raised by 6 r / degrees of
 *                       freedom, because r is an estimate
 *   long memory         with 60 rounds or more: the errors are widened by the same factor by which
 *                       the memory of the residuals widens the interval of their mean
 *                       (mean_variance.h)
 *   origin              the work amount at which the first coefficient is the duration: 0 for the
 *                       set-up
 *   degrees of freedom  n minus the columns and the order, divided by 1 + h / 2 where the errors
 *                       have an excess kurtosis of h beyond two of its standard errors: the
 *                       variance then depends on a few errors
 */
enum line_column { LINE_SETUP, LINE_SLOPE, LINE_EXTRA, LINE_COLUMNS };

struct line {
    size_t columns;
    double value[LINE_COLUMNS];
    double error[LINE_COLUMNS]; /* standard errors; infinite without degrees of freedom */
    double degrees;             /* degrees of freedom; 0: none */
    bool heavy_tailed;          /* a few rounds make up most of the noise, which lowers `degrees` */
    /* number of independent rounds that would give equally precise results */
    double independent;
    /* parameter d of the long memory that the standard errors allow for; 0: none */
    double memory;
    /* factor, at least 1, by which the standard errors would be larger if they also allowed for
       long memory that the rounds neither show nor exclude */
    double doubt;
    /* persistence of the residuals' autoregression, which was removed from them; 0: none */
    double persistence;
    bool proportional; /* the noise grows with the duration */
    double mean_work;
    double spread;   /* sum of the squared deviations of the work amounts from their mean */
    double deviance; /* minus twice the log likelihood, without a constant */
};

struct line_options {
    bool weighted; /* false: plain least squares, as R's lm, without the steps above */
    double bend;   /* work amount of the bend; 0 for a straight line */
    double origin; /* work amount at which LINE_SETUP is the duration */
    bool brief;    /* does not test for long memory, which takes most of the time */
};

size_t line_scratch_bytes(size_t n);

/* Fits a line to round[0..n), n >= 2. Returns false if the work amounts do not determine the
   columns. */
bool line_fit(const struct work_round round[], size_t n, const struct line_options *options,
              struct line *out, struct arena *scratch);

#endif
