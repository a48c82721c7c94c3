/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a second session looks like a repetition of the first. Each session predicts
 * the mean of its next repetition, and the two means are compared by these predictions. So only a
 * difference counts that a repetition of the same session would not show. Pure; any thread may
 * call it.
 *
 * The prediction interval of a session's next mean reaches from the mean to a distance p
 * (next_low and next_high of estimate.h; Hahn, Meeker, Statistical Intervals (1991), 4.8); p
 * shows the error of the difference between the means of two such sessions. Each mean contributes
 * half of its variance:
 *
 *     v = max(p^2 / 2, h^2) / t_{1-a/2,n_eff-1}^2
 *
 * where h is the distance from the mean to the end of its confidence interval. Under long memory
 * h^2 is the larger of the two, because the prediction is for a session that follows at once,
 * which resembles the first more than a session of another day does. For each session, the ends
 * of the intervals on the side of the other mean are used. mB is then within the range of a
 * repetition of A where
 *
 *     |mA - mB| <= t_{1-a/2,f} sqrt(vA + vB)
 *
 * with the degrees of freedom f of Welch and Satterthwaite (Welch, Biometrika 34 (1947), 28). For
 * equal sessions with independent readings this is Welch's test on their effective readings, and
 * it calls a share of 1 - confidence of them different.
 */
#ifndef CUPEL_STAT_COMPARE_REPETITION_H
#define CUPEL_STAT_COMPARE_REPETITION_H

#include <stdbool.h>

/* A session's mean with its interval and the prediction interval of the next mean, both at
   `confidence`. If an end is not finite, the session predicts nothing. */
struct session_mean {
    double mean, low, high, next_low, next_high;
    double confidence;
    /* number of independent readings whose mean would have the same uncertainty */
    double effective_n;
};

bool session_mean_predicts(const struct session_mean *s);

/* The range of means that a session like `second` may have if it repeats `first`, at `confidence`;
   NaN if one of the two sessions predicts nothing. */
struct repetition {
    double low, high;
};

struct repetition repetition_of(const struct session_mean *first, const struct session_mean *second,
                                double confidence);

#endif
