/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a second session looks like a repetition of the first. The means of the two
 * sessions are compared by what each predicts of its next session, so only a difference that a
 * repetition of the same session would not show counts. Pure, any thread.
 *
 * The prediction interval of a session's next mean reaches p beyond its mean (next_low and
 * next_high of estimate.h; Hahn, Meeker, Statistical Intervals (1991), 4.8): the error of the
 * difference between two means of that session's kind. Each mean contributes half of its variance:
 *
 *     v = max(p^2 / 2, h^2) / t_{1-a/2,n_eff-1}^2
 *
 * with the arm h of the mean's own interval. h is the larger one under long memory, because the
 * prediction is for a session that follows at once, which resembles the first more than a session
 * of another day does. Of each session the arms towards the other mean are used. mB is then within
 * the range of a repetition of A where
 *
 *     |mA - mB| <= t_{1-a/2,f} sqrt(vA + vB)
 *
 * with the degrees of freedom f of Welch and Satterthwaite (Welch, Biometrika 34 (1947), 28). For
 * equal sessions with independent readings this is Welch's test on their effective readings, and it
 * calls a share of 1 - confidence of them different.
 */
#ifndef CUPEL_STAT_COMPARE_REPETITION_H
#define CUPEL_STAT_COMPARE_REPETITION_H

#include <stdbool.h>

/* A session's mean with its interval and the prediction interval of the next mean, both at
   `confidence`. If an end is not finite, nothing is predicted. */
struct session_mean {
    double mean, low, high, next_low, next_high;
    double confidence;
    double effective_n; /* number of independent readings that the mean is worth */
};

bool session_mean_predicts(const struct session_mean *s);

/* The range of means that a session like `second` may have if it repeats `first`, at `confidence`;
   NaN when one of them predicts nothing. */
struct repetition {
    double low, high;
};

struct repetition repetition_of(const struct session_mean *first, const struct session_mean *second,
                                double confidence);

#endif
