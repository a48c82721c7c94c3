/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the mean over sessions, its interval, and the components of their variance. */
#include "stat/estimate/session_spread.h"

#include <math.h>
#include <stdbool.h>

#include "stat/basic/distribution.h"

static double t_of(double confidence, double degrees)
{
    return student_t_quantile((1 + confidence) / 2, degrees);
}

/* Returns the variance of a session's mean, computed from the session's interval; NaN if it has
   none. */
static double own_variance(const struct session_value *v, double confidence)
{
    const double min_degrees = 1;
    double half = (v->high - v->low) / 2, degrees = v->effective_n - 1;
    if (!isfinite(half))
        return (double)NAN;
    double se = half / t_of(confidence, degrees > min_degrees ? degrees : min_degrees);
    return se * se;
}

static void split_variance(struct session_spread *s, const struct session_value sessions[],
                           double confidence)
{
    double within = 0;
    for (size_t i = 0; i < s->n; i++)
        within += own_variance(&sessions[i], confidence) / (double)s->n;
    if (isnan(within))
        return;
    double between = fmax(s->sd * s->sd - within, 0);
    s->within = sqrt(within);
    s->between = sqrt(between);
    if (between + within > 0)
        s->intraclass = between / (between + within);
}

struct session_spread session_spread_of(const struct session_value sessions[], size_t n,
                                        double confidence)
{
    struct session_spread s = {.n = n,
                               .mean = NAN,
                               .low = NAN,
                               .high = NAN,
                               .next_low = NAN,
                               .next_high = NAN,
                               .sd = NAN,
                               .within = NAN,
                               .between = NAN,
                               .intraclass = NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += sessions[i].mean;
    if (!n)
        return s;
    s.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        squares += (sessions[i].mean - s.mean) * (sessions[i].mean - s.mean);
        s.holding += sessions[i].low <= s.mean && sessions[i].high >= s.mean;
    }
    if (n < 2)
        return s;
    s.sd = sqrt(squares / (double)(n - 1));
    double half = t_of(confidence, (double)(n - 1)) * s.sd / sqrt((double)n);
    s.low = s.mean - half;
    s.high = s.mean + half;
    s.next_low = s.mean - M_SQRT2 * half;
    s.next_high = s.mean + M_SQRT2 * half;
    split_variance(&s, sessions, confidence);
    return s;
}

/* Finds the smallest number K of sessions by bisection, because the width falls with K. */
size_t session_spread_required(const struct session_spread *spread, double width, double confidence)
{
    size_t low = 2, high = SESSION_SPREAD_REQUIRED_MAX;
    double wanted = width * fabs(spread->mean) / (2 * spread->sd);
    if (!(spread->n >= 2) || !(wanted > 0))
        return 0;
    while (low < high) {
        size_t k = low + (high - low) / 2;
        if (t_of(confidence, (double)(k - 1)) / sqrt((double)k) <= wanted)
            high = k;
        else
            low = k + 1;
    }
    return low < SESSION_SPREAD_REQUIRED_MAX ? low : 0;
}
