/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/stat/basic share. */
#ifndef CUPEL_STAT_BASIC_INTERNAL_H
#define CUPEL_STAT_BASIC_INTERNAL_H

#include <stddef.h>

/* ---- beta ---- */

/*
 * The regularized incomplete beta function I_x(a, b), which the t and binomial distributions are
 * made of (Abramowitz and Stegun 26.5). a, b > 0; x in 0..1 comes with y = 1 - x, so that neither
 * end loses digits. Relative error below 1e-10, also for a and b of many millions. Pure, any
 * thread.
 */

double beta_share(double a, double b, double x, double y);

/* x^a y^b / B(a, b), which is x y times the density. 0 < x < 1. */
double beta_prefix(double a, double b, double x, double y);

#endif
