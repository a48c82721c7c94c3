/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds out whether a series has long memory, and how uncertain this makes its mean.
 *
 * Two kinds of models are fitted to the periodogram I at the frequencies l[j] = 2 pi j / n below
 * Nyquist, and the likelier one is chosen:
 *
 *   ARMA(p, q), p = 0..3        f(l) = s2 / (2 pi) |1 + b e(l)|^2 / |1 - sum a[k] e(kl)|^2
 *   ARFIMA(p, d, q), p = 0..2   the same times (2 sin(l / 2))^(-2d), 0 < d < .49
 *
 * with e(l) = exp(-il) and q = 0 (b = 0) or 1, by Whittle's likelihood, sum of -log f - I / f (P.
 * Whittle, 1953; J. Beran, *Statistics for Long-Memory Processes*, 1994, 6.1), minus ln(n) / 2
 * for each coefficient and for d. A moving level with noise on top of it, as a disk shows, is
 * described by q = 1: without q, the few coefficients of an autoregression would be less likely
 * than memory. A few readings do not distinguish memory from an autoregression: the log
 * likelihood of the second kind must be higher by (350 / n)^2 nats, and memory counts in full if
 * it is higher by 2 nats more. Memory is plausible if that likelihood is lower by less than 2
 * nats (above 500 readings, by less than 1000 / n). For a given d and b the coefficients follow
 * from the autocovariances of the filtered periodogram by Levinson's recursion, so that only d
 * and b are searched for.
 *
 * The mean of n readings of the second kind has the variance (Beran, 2.2; K. M. Abadir, W.
 * Distaso, L. Giraitis, *Two estimators of the long-run variance*, 2009)
 *
 *   n^(2d-1) f*(0) 2 Gamma(1-2d) sin(pi d) / (d (1+2d)),
 *   f*(0) = s2 (1 + b)^2 / (2 pi (1 - sum a)^2)
 *
 * which falls more slowly than 1 / n. The standard error se of d, from the curvature of the
 * likelihood, gives the logarithm of that variance an error of about 2 ln(n) se. A variance with
 * 2 / (2 ln(n) se)^2 degrees of freedom is as uncertain. Pure: arrays in, struct out, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_LONG_MEMORY_H
#define CUPEL_STAT_ESTIMATE_LONG_MEMORY_H

#include <stddef.h>

#include "base/arena.h"

/* In fewer readings, long memory cannot be seen. */
#define LONG_MEMORY_MIN_READINGS 60
/* Upper end of the search for d: near 1/2 the variance has no bound. */
#define LONG_MEMORY_MAX_D 0.49
/* From this d on, it is unknown whether a mean over all time exists. The variance then refers to
   the mean of this many periods, each as long as the measured one. */
#define LONG_MEMORY_NO_MEAN   0.45
#define LONG_MEMORY_STRETCHES 100

struct long_memory {
    double d; /* d of the model with long memory; 0: long memory is not even plausible */
    /* variance of the mean of the n readings. Where d is LONG_MEMORY_NO_MEAN or more: variance of
       the difference between this mean and the mean of the next LONG_MEMORY_STRETCHES * n readings.
       0 if d is 0 */
    double variance;
    double degrees; /* degrees of freedom of the variance, at least 3; 0 if d is 0 */
    /* 0 to 1: position of the interval, on a logarithmic scale, between that of the model without
       memory (0) and that of the model with memory (1). 0 if the model without memory is at least
       as likely */
    double evidence;
};

size_t long_memory_scratch_bytes(size_t n);

/* Fits the models to x[0..n), any n. Above PERIODOGRAM_MAX_READINGS, block means replace the
   readings: they have the same memory and the same mean. `normality` is the share of the
   likelihood's evidence that counts; it is 1 for normal readings. */
struct long_memory long_memory_of(const double x[], size_t n, double normality,
                                  struct arena *scratch);

/*
 * Returns the variance of the difference between the means of n readings and of the next n,
 * divided by `variance` of struct long_memory. Below LONG_MEMORY_NO_MEAN it is 2 (2 - 2^(2d)),
 * which is 2 without memory. For any d below 1/2 the difference between the means of n and of the
 * next rn readings has, in units of the variance of the first, the variance
 *
 *   1 + r^(2d-1) - ((1+r)^(2d+1) - 1 - r^(2d+1)) / r
 *
 * since the variance of a sum of n readings grows as n^(2d+1).
 */
double long_memory_next_factor(double d);

/* Returns the mean square of the partial sums of n readings about their mean, divided by n^2 times
   `variance` of struct long_memory; it is 1/6 without memory. */
double long_memory_wander_factor(double d);

#endif
