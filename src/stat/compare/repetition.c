/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the range of means that a repetition of a session may have, from the predictions of two
   sessions. */
#include "stat/compare/repetition.h"

#include <math.h>

#include "stat/basic/distribution.h"

bool session_mean_predicts(const struct session_mean *s)
{
    return isfinite(s->low) && isfinite(s->high) && isfinite(s->next_low) &&
           isfinite(s->next_high) && s->effective_n >= 2 && s->confidence > 0;
}

/* Returns the variance of the mean on the side of larger means (`upwards`) or of smaller ones. */
static double variance_of(const struct session_mean *s, bool upwards)
{
    const double t = student_t_quantile((1 + s->confidence) / 2, s->effective_n - 1);
    const double next = upwards ? s->next_high - s->mean : s->mean - s->next_low;
    const double arm = upwards ? s->high - s->mean : s->mean - s->low;
    const double error = fmax(next / M_SQRT2, arm) / t;
    return error * error;
}

/* Returns the largest difference at which the means still agree. `upwards`: true if the second mean
   is the larger one. */
static double allowed(const struct session_mean *first, const struct session_mean *second,
                      bool upwards, double confidence)
{
    const double a = variance_of(first, upwards), b = variance_of(second, !upwards);
    if (!(a + b > 0))
        return 0;
    const double degrees =
        (a + b) * (a + b) / (a * a / (first->effective_n - 1) + b * b / (second->effective_n - 1));
    return student_t_quantile((1 + confidence) / 2, degrees) * sqrt(a + b);
}

struct repetition repetition_of(const struct session_mean *first, const struct session_mean *second,
                                double confidence)
{
    if (!session_mean_predicts(first) || !session_mean_predicts(second))
        return (struct repetition){NAN, NAN};
    return (struct repetition){first->mean - allowed(first, second, false, confidence),
                               first->mean + allowed(first, second, true, confidence)};
}
