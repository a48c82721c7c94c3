/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far apart two distributions, or two series, are. Pure functions, any thread.
 *
 * Kolmogorov-Smirnov: the largest difference between the two distribution functions, 0 (the same)
 * to 1 (nothing in common). Wasserstein-1, the earth mover's distance: the area between them, in
 * the unit of the values; this is the average distance by which the values of one distribution
 * must move to become those of the other. The distance is never less than the difference of the
 * means. The two are equal when one distribution lies wholly on one side of the other.
 *
 * A histogram distinguishes values by bucket only (stat/basic/histogram.h): all values of a
 * bucket count as its middle, values in `over` as the end of the range. So the KS distance of
 * histograms is at most the exact distance, and falls short of it by at most the largest share
 * that one bucket holds. The earth mover's distance differs from the exact distance by at most
 * (mean a + mean b) / 128.
 */
#ifndef CUPEL_STAT_BASIC_DISTANCE_H
#define CUPEL_STAT_BASIC_DISTANCE_H

#include <stddef.h>

#include "stat/basic/histogram.h"

/* Distances of two histograms; NaN when either is empty. */
double distance_ks(const struct histogram *a, const struct histogram *b);
double distance_earth_mover(const struct histogram *a, const struct histogram *b); /* ns */

/* Returns the exact KS distance of two samples, whose values may be fractions. Sorts x and y.
   Returns NaN if either is empty. */
double distance_ks_of(double x[], size_t nx, double y[], size_t ny);

/*
 * Returns the index of dispersion of counts in equal intervals: variance over mean. It is 1 for
 * Poisson arrivals, 0 for a constant rate, above 1 for bursts (Cox and Lewis 1966, 4.5). NaN for n
 * < 2 or a mean of 0.
 */
double dispersion_of(const double counts[], size_t n);

/* Pearson's correlation of x[i] with y[i]. NaN for n < 2, or where either is constant. */
double correlation_of(const double x[], const double y[], size_t n);

#endif
