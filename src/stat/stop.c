/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a series is precise enough to stop, and how long that is expected to take. */
#include "stat/stop.h"

#include <math.h>

#define STOPPING_BIAS            8.0 /* of the variance of the mean, times effective_n */
#define READINGS_PER_INDEPENDENT 4
#define LEAST_READINGS           250

double relative_width(const struct estimate *e)
{
    double width = (e->high - e->low) / fabs(e->mean);
    return isnan(width) ? INFINITY : width;
}

struct estimate stop_widened(const struct estimate *e)
{
    struct estimate wide = *e;
    double factor = sqrt(1 + STOPPING_BIAS / e->effective_n);
    wide.low = e->mean - factor * (e->mean - e->low);
    wide.high = e->mean + factor * (e->high - e->mean);
    return wide;
}

size_t stop_least_n(const struct stop_rule *rule)
{
    size_t least = READINGS_PER_INDEPENDENT * rule->minimum_subsessions;
    return least > LEAST_READINGS ? least : LEAST_READINGS;
}

bool stop_now(const struct estimate *e, const struct stop_rule *rule)
{
    struct estimate wide = stop_widened(e);
    return e->n >= stop_least_n(rule) && e->effective_n >= (double)rule->minimum_subsessions &&
           relative_width(&wide) <= rule->target_width;
}

/*
 * With v = width^2 n for the width at hand, the width at N readings is that of v/N (1 + b/N), where
 * b = bias n / effective_n: the positive root of target^2 N^2 - v N - v b = 0.
 */
static double required_for_width(const struct estimate *e, double target)
{
    double n = (double)e->n, width = relative_width(e);
    double v = width * width * n / (target * target);
    double b = STOPPING_BIAS * n / e->effective_n;
    return (v + sqrt(v * v + 4 * v * b)) / 2;
}

double stop_required_n(const struct estimate *e, const struct stop_rule *rule)
{
    double n = (double)e->n, least = (double)stop_least_n(rule);
    if (stop_now(e, rule))
        return n;
    if (e->mean != 0 && isinf(e->high))
        return fmax(least, n + 1);
    double for_count = n * (double)rule->minimum_subsessions / e->effective_n;
    double required = fmax(required_for_width(e, rule->target_width), for_count);
    return ceil(fmax(n + 1, fmax(least, required)));
}
