/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several sessions as one reading each: the mean over sessions, and the sources of their
 * differences. The level of a real device changes from one session to the next, which the
 * interval of a single session cannot show. Pure, any thread.
 *
 * interval: m +- t_{1-a/2,K-1} s / sqrt(K), with the mean m and the standard deviation s of the K
 * session means: Student's t, K - 1 degrees of freedom. Sessions are assumed to be independent;
 * the user ensures this by spreading them over time.
 *
 * prediction: m +- t_{1-a/2,K-1} s sqrt(2 / K), for the mean over K further sessions (Hahn,
 * Meeker, Statistical Intervals, 1991, 4.8).
 *
 * within: w^2 = mean over sessions of (half width / t_{1-a/2,n_eff-1})^2, the variance of a
 * session's mean as its own interval states it.
 *
 * between: b^2 = max(0, s^2 - w^2), the variance of the levels of sessions (analysis of variance
 * with one random factor, by the method of moments).
 *
 * intraclass: b^2 / (b^2 + w^2), the share of the variance of session means that lies between the
 * sessions. If it is near 1, a session's interval is too narrow for other sessions; if it is near
 * 0, the interval can be trusted.
 */
#ifndef CUPEL_STAT_ESTIMATE_SESSION_SPREAD_H
#define CUPEL_STAT_ESTIMATE_SESSION_SPREAD_H

#include <stddef.h>

/* A session's mean with its own interval; low and high are NaN when it has no interval. */
struct session_value {
    double mean, low, high, effective_n;
};

struct session_spread {
    size_t n;
    double mean;                /* NaN for n = 0 */
    double low, high;           /* confidence interval of the mean; NaN for n < 2 */
    double next_low, next_high; /* prediction interval of the mean over n further sessions; NaN for
                                   n < 2 */
    double sd;      /* standard deviation of session means, divisor n - 1; NaN for n < 2 */
    double within;  /* w; NaN unless every session has its own interval */
    double between; /* b; NaN when `within` is NaN */
    /* b^2 / (b^2 + w^2); NaN when `within` is NaN, and where all means are the same */
    double intraclass;
    size_t holding; /* number of sessions whose interval contains the mean over all sessions */
};

/* Computes the spread. `confidence` applies to the interval of the mean over sessions, and to the
   sessions' own intervals. */
struct session_spread session_spread_of(const struct session_value sessions[], size_t n,
                                        double confidence);

#define SESSION_SPREAD_REQUIRED_MAX 100000

/*
 * Returns the smallest number of sessions whose interval is expected to have a full width of
 * `width` times the mean: the smallest K with 2 t_{K-1} sd / sqrt(K) <= width |mean|. 0: not known
 * (fewer than two sessions, or a mean of 0), or above SESSION_SPREAD_REQUIRED_MAX.
 */
size_t session_spread_required(const struct session_spread *spread, double width,
                               double confidence);

#endif
