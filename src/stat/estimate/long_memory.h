/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a series have long memory, and how uncertain does that make its mean?
 *
 * Two kinds of models are fitted to the periodogram I at the frequencies l[j] = 2 pi j / n below
 * Nyquist, and the likelier one is chosen:
 *
 *   ARMA(p, q), p = 0..3        f(l) = s2 / (2 pi) |1 + b e(l)|^2 / |1 - sum a[k] e(kl)|^2
 *   ARFIMA(p, d, q), p = 0..2   the same times (2 sin(l / 2))^(-2d), 0 < d < .49
 *
 * with e(l) = exp(-il) and q = 0 (b = 0) or 1, by Whittle's likelihood, sum of -log f - I / f (P.
 * Whittle, 1953; J. Beran, *Statistics for Long-Memory Processes*, 1994, 6.1), less ln(n) / 2 for
 * each coefficient and for d. A level that moves under noise of its own, as a disk's does, is of
 * the kind q = 1: without it the few coefficients of an autoregression are less likely than memory.
 * Few readings do not distinguish memory from an autoregression: the second kind must be better by
 * (350 / n)^2 nats, and counts in full when it is better by 2 more. It is plausible when it is
 * worse by less than 2, and less than 1000 / n. For a given d and b the coefficients follow from
 * the autocovariances of the filtered periodogram by Levinson's recursion, so that only d and b are
 * searched for.
 *
 * The mean of n readings of the second kind has the variance (Beran, 2.2; K. M. Abadir, W. Distaso,
 * L. Giraitis, *Two estimators of the long-run variance*, 2009)
 *
 *   n^(2d-1) f*(0) 2 Gamma(1-2d) sin(pi d) / (d (1+2d)),
 *   f*(0) = s2 (1 + b)^2 / (2 pi (1 - sum a)^2)
 *
 * which falls more slowly than 1 / n. The error of d, se from the curvature of the likelihood,
 * makes that of the variance's logarithm about 2 ln(n) se: as uncertain as a variance with 2 / (2
 * ln(n) se)^2 degrees of freedom. Pure: arrays in, struct out, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_LONG_MEMORY_H
#define CUPEL_STAT_ESTIMATE_LONG_MEMORY_H

#include <stddef.h>

#include "base/arena.h"

/* Fewer readings do not show long memory. */
#define LONG_MEMORY_MIN_READINGS 60
/* The search for d ends here: near 1/2 the variance has no bound. */
#define LONG_MEMORY_MAX_D 0.49
/* From here on the mean of all times is not known to exist. What a mean says is then said of as
   many stretches like the measured one. */
#define LONG_MEMORY_NO_MEAN   0.45
#define LONG_MEMORY_STRETCHES 100

struct long_memory {
    double d;        /* 0: long memory is not even plausible */
    double variance; /* variance of the mean of the n readings; where d is LONG_MEMORY_NO_MEAN or
                        more, of its difference from the mean of the next LONG_MEMORY_STRETCHES n
                        readings; 0 where d is 0 */
    double degrees;  /* degrees of freedom of the variance, at least 3; 0 where d is 0 */
    double evidence; /* 0 to 1: where the interval lies between the one without memory (0) and the
                        one with it (1), in their logarithms. 0: the model without memory is at
                        least as likely */
};

size_t long_memory_scratch_bytes(size_t n);

/* x[0..n), any n. Above PERIODOGRAM_MAX_READINGS, means of blocks stand for the readings: they have
   the same memory and the same mean. `normality`: share of the likelihood's evidence that counts, 1
   for normal readings. */
struct long_memory long_memory_of(const double x[], size_t n, double normality,
                                  struct arena *scratch);

/*
 * Variance of the difference between the means of n readings and of the next n, over `variance`: 2
 * (2 - 2^(2d)) below LONG_MEMORY_NO_MEAN, which is 2 without memory. For any d below 1/2 the
 * means of n and of the next rn readings differ by this much, in units of the variance of the
 * first, by
 *
 *   1 + r^(2d-1) - ((1+r)^(2d+1) - 1 - r^(2d+1)) / r
 *
 * since the variance of a sum of n readings grows as n^(2d+1).
 */
double long_memory_next_factor(double d);

/* Mean square of the partial sums of n readings about their mean, over n^2 `variance`: 1/6 without
   memory. */
double long_memory_wander_factor(double d);

#endif
