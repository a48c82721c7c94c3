/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a second session like a repetition of the first? Two means of sessions are compared by what
 * either session predicts of its next one, so that a difference is one that a repetition of the
 * same would not make. Pure, any thread.
 *
 * The prediction interval of a session's next mean reaches p beyond its mean (next_low and
 * next_high of estimate.h; Hahn, Meeker, Statistical Intervals (1991), 4.8): the error of the
 * difference between two means of that session's kind. Half of its variance belongs to either mean:
 *
 *     v = max(p^2 / 2, h^2) / t_{1-a/2,n_eff-1}^2
 *
 * with the arm h of the mean's own interval. h is the larger one under long memory, because the
 * next session is alike for following at once, and sessions of different days are not. The arms
 * are those that point to the other mean. mB is then within what a repetition of A gives where
 *
 *     |mA - mB| <= t_{1-a/2,f} sqrt(vA + vB)
 *
 * with the degrees of freedom f of Welch and Satterthwaite (Welch, Biometrika 34 (1947), 28). Of
 * equal sessions with independent readings this is Welch's test on their effective readings, and
 * calls 1 - confidence of them different.
 */
#ifndef CUPEL_STAT_COMPARE_REPETITION_H
#define CUPEL_STAT_COMPARE_REPETITION_H

#include <stdbool.h>

/* A session's mean with the interval of the mean and the prediction of the next one, both at
   `confidence`. An end that is not finite: nothing is predicted. */
struct session_mean {
    double mean, low, high, next_low, next_high;
    double confidence;
    double effective_n; /* independent readings that the mean is worth */
};

bool session_mean_predicts(const struct session_mean *s);

/* The means that a session like `second` has when it is a repetition of `first`, at `confidence`;
   NaN: not known, because one of them predicts nothing. */
struct repetition {
    double low, high;
};

struct repetition repetition_of(const struct session_mean *first, const struct session_mean *second,
                                double confidence);

#endif
