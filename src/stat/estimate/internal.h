/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/estimate. */
#ifndef CUPEL_STAT_ESTIMATE_INTERNAL_H
#define CUPEL_STAT_ESTIMATE_INTERNAL_H

#include <stddef.h>

#include "base/arena.h"

/* ---- subsessions: estimate.c ---- */

/*
 * Subsession analysis (Li et al., Pilot (2016), III-D): merges every q adjacent readings into
 * their mean until the means are no longer autocorrelated.
 *
 * A `struct subsessions` holds the running sums of one series. With them one size q takes O(n/q),
 * and all sizes together O(n log n). Its memory is in the arena from which it was allocated.
 */

struct subsessions {
    const double *sum; /* [n + 1]; sum[i] = sum of (x - mean) over x[0..i) */
    size_t n;
    double mean;
};

/* Statistics of one subsession size. Variance and autocorrelation are taken about the mean of all n
   readings. */
struct subsession {
    size_t size; /* q, number of readings in each subsession */
    /* h = floor(n / q), number of subsessions; up to q - 1 readings at the end are not used */
    size_t count;
    double variance; /* variance of the subsession means, divisor h - 1 */
    /* autocorrelation of the subsession means at lag 1; 0 if the variance is 0, NaN if h < 2 */
    double autocorrelation;
};

size_t subsessions_scratch_bytes(size_t n);

/* Computes the running sums of x[0..n), whose mean is `mean`. */
struct subsessions subsessions_of(const double x[], size_t n, double mean, struct arena *scratch);

/* Computes the statistics of one subsession size, which is at least 1. */
struct subsession subsession_at(const struct subsessions *s, size_t size);

/*
 * Pilot's rule: returns the first q in 1..n/3 with |autocorrelation| <= limit; 0 when there is
 * none. This rule accepts a size that passes by chance, so intervals made from it are too narrow.
 */
size_t subsession_size_pilot(const struct subsessions *s, double limit);

/*
 * Returns the first q in 1..n/3 at which both the q-means and the 2q-means are within the limit; 0
 * when there is none.
 */
size_t subsession_size_robust(const struct subsessions *s, double limit);

/* Returns the full width of Pilot's interval, 2 t sqrt(variance / h) with h - 1 degrees of
   freedom. */
double subsession_interval_width(const struct subsession *s, double confidence);

#endif
