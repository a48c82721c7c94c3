/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The variance of the mean of readings that may be autocorrelated.
 *
 * s0 / n, where s0 is the spectral density at zero of an autoregressive fit (Burg; order by
 * Akaike's criterion, at most 20, 10 log10 n and n / 10),
 *     s0 = v / (1 - r)^2 with v the variance of its noise and r the sum of its coefficients,
 * raised by their bias (1 + 3r) sqrt(order) / n. The same is done for means of batches of n^(1/3)
 * readings (order at most 4), which sees slow movement under fast noise, and the one with the wider
 * interval is taken.
 *
 * No series counts for fewer than 3 independent readings, and one that wanders (r within 6 / n of
 * 1) counts for 3. From 8,192 readings on, 4,096 to 8,191 batch means stand for the readings: they
 * have the same mean and the same variance of the mean, so that the cost stays O(n).
 *
 * Negative autocorrelation makes the variance smaller than that of independent readings, but never
 * smaller than variance / n^2: the mean of readings that alternate still depends on the last of
 * them.
 */
#ifndef CUPEL_STAT_ESTIMATE_MEAN_VARIANCE_H
#define CUPEL_STAT_ESTIMATE_MEAN_VARIANCE_H

#include <stddef.h>

#include "base/arena.h"

/* No series counts for fewer independent readings than this: it bounds the width. */
#define MEAN_VARIANCE_MIN_INDEPENDENT 3.0

struct mean_variance {
    double value;
    double degrees; /* degrees of freedom of the variance: independent readings - 1 */
    double memory;  /* d of the long memory that it allows for; 0: none */
    double doubt;   /* factor, at least 1, by which the interval would be wider if it allowed for
                       all memory that is plausible; 0: not looked for */
};

size_t mean_variance_scratch_bytes(size_t n);

/* x[0..n), n at least 2; two readings are taken for independent. `confidence` is the one at which
 * the intervals of the two models are compared. */
struct mean_variance mean_variance_of(const double x[], size_t n, double confidence,
                                      struct arena *scratch);

/*
 * Widens the variance to that of the model with long memory (long_memory.h), in proportion to the
 * evidence for memory. The model takes readings for normal, so clustered stalls, which leave the
 * variance few degrees of freedom, count as little evidence. The mean stays at least as certain as
 * one reading. For intervals that are reported only: the search for change points would take every
 * change of level for memory.
 */
void mean_variance_allow_for_memory(struct mean_variance *v, const double x[], size_t n,
                                    double confidence, struct arena *scratch);

/*
 * Degrees of freedom of a variance from sums of n^(1/3) neighbouring readings when a few sums make
 * up most of it, as rare stalls in clusters do: (m - 1) / (1 + h / 2), at least 1, for m sums of
 * excess kurtosis h (at least 0). This follows from the variance of the variance of m such sums.
 * sd: of the readings, above 0.
 */
double mean_variance_kurtosis_degrees(const double x[], size_t n, double sd);

/* Half the width of Student's interval. */
double mean_variance_half_width(const struct mean_variance *v, double confidence);

/*
 * Long-run skewness. The sum of many readings is skewed by events that span several readings: a
 * stall of three readings counts as 27 single ones, not as 3. So the third moment is taken of sums
 * of 1, 2, 4 ... neighbouring readings, and the largest is returned: about `centre`, per reading,
 * so that the third moment of the sum of all n is n times it. Sums of up to `max_size` readings are
 * tried; 1 <= max_size <= n.
 */
double skewness_third_moment(const double x[], size_t n, double centre, size_t max_size);

#endif
