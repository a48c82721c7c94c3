/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The variance of the mean of readings that may be autocorrelated.
 *
 * It is s0 / n, where s0 is the spectral density at zero of an autoregressive fit (Burg; order by
 * Akaike's criterion, at most 20, 10 log10 n and n / 10):
 *
 *     s0 = v / (1 - r)^2
 *
 * with v the variance of its noise and r the sum of its coefficients, raised by their bias (1 + 3r)
 * sqrt(order) / n. A second variance comes in the same way from means of batches of n^(1/3)
 * readings (order at most 4), which show slow movement under fast noise. The variance that gives
 * the wider interval is used.
 *
 * Every series counts for at least 3 independent readings, and a series close to a random walk (r
 * within 6 / n of 1) for exactly 3. From 8,192 readings on, 4,096 to 8,191 batch means replace
 * the readings: they have the same mean and the same variance of the mean, so that the cost stays
 * O(n).
 *
 * Negative autocorrelation makes the variance smaller than that of independent readings, but
 * never smaller than variance / n^2: the mean of readings that alternate still depends on the
 * last of them.
 */
#ifndef CUPEL_STAT_ESTIMATE_MEAN_VARIANCE_H
#define CUPEL_STAT_ESTIMATE_MEAN_VARIANCE_H

#include <stddef.h>

#include "base/arena.h"

/* Minimum number of independent readings that a series counts for. It limits the width of the
   interval. */
#define MEAN_VARIANCE_MIN_INDEPENDENT 3.0

struct mean_variance {
    double value;
    double degrees; /* degrees of freedom of the variance: independent readings - 1 */
    double memory;  /* parameter d of the long memory that the variance allows for; 0: none */
    /* factor, at least 1, by which the interval would be wider if it also allowed for long memory
       that the readings neither show nor exclude; 0: not computed */
    double doubt;
};

size_t mean_variance_scratch_bytes(size_t n);

/* Computes the variance of the mean of x[0..n), n at least 2. Two readings alone count as
   independent. The intervals of the two models are compared at `confidence`. */
struct mean_variance mean_variance_of(const double x[], size_t n, double confidence,
                                      struct arena *scratch);

/*
 * Widens the variance towards that of the model with long memory (long_memory.h), in proportion to
 * the evidence for memory. That model assumes normal readings, so clustered stalls, which leave the
 * variance few degrees of freedom, count as little evidence. The variance stays at most that of one
 * reading. Use it only for intervals that are reported: the search for change points would take
 * every change of level for memory.
 */
void mean_variance_allow_for_memory(struct mean_variance *v, const double x[], size_t n,
                                    double confidence, struct arena *scratch);

/*
 * Returns the degrees of freedom of a variance computed from sums of n^(1/3) neighbouring readings.
 * The degrees of freedom are few if a few sums make up most of the variance, as rare stalls in
 * clusters do: (m - 1) / (1 + h / 2), at least 1, for m sums of excess kurtosis h (at least 0).
 * This follows from the variance of the variance of m such sums. `sd`: standard deviation of the
 * readings, above 0.
 */
double mean_variance_kurtosis_degrees(const double x[], size_t n, double sd);

/* Returns half the width of Student's interval. */
double mean_variance_half_width(const struct mean_variance *v, double confidence);

/*
 * Returns the long-run third moment, from which skewness follows. The sum of many readings is
 * skewed by events that span several readings: a stall of three readings counts 27 times as much as
 * a stall of one, not 3 times. So the third moment about `centre` is computed for sums of 1, 2, 4
 * ... neighbouring readings, up to `max_size` (1 <= max_size <= n). The result is the largest, per
 * reading: the third moment of the sum of all n readings is n times it.
 */
double skewness_third_moment(const double x[], size_t n, double centre, size_t max_size);

#endif
