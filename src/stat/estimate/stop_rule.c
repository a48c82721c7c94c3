/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides when a series is precise enough to stop, and predicts how long that takes. */
#include "stat/estimate/stop_rule.h"

#include <math.h>

#define READINGS_PER_INDEPENDENT 4
#define MIN_READINGS             250

double relative_width(const struct estimate *e)
{
    double width = (e->high - e->low) / fabs(e->mean);
    return isnan(width) ? INFINITY : width;
}

/* Returns the factor by which the rule raises the estimated variance of the mean before it
   decides. */
static double variance_factor(const struct estimate *e, double n, double effective_n)
{
    double batches = cbrt(n) * cbrt(n);
    return fmax(e->doubt * e->doubt, 1) * (1 + 6 / effective_n + 4 / batches);
}

struct estimate stop_widened(const struct estimate *e, const struct stop_rule *rule)
{
    struct estimate wide = *e;
    if (rule->method == INTERVAL_PILOT)
        return wide;
    double factor = sqrt(variance_factor(e, (double)e->n, e->effective_n));
    wide.low = e->mean - factor * (e->mean - e->low);
    wide.high = e->mean + factor * (e->high - e->mean);
    wide.next_low = e->mean - factor * (e->mean - e->next_low);
    wide.next_high = e->mean + factor * (e->next_high - e->mean);
    return wide;
}

size_t stop_min_n(const struct stop_rule *rule)
{
    if (rule->method == INTERVAL_PILOT)
        return rule->minimum_subsessions;
    if (rule->minimum_readings)
        return rule->minimum_readings;
    size_t min = READINGS_PER_INDEPENDENT * rule->minimum_subsessions;
    return min > MIN_READINGS ? min : MIN_READINGS;
}

double stop_target_width(const struct estimate *e, const struct stop_rule *rule)
{
    return rule->absolute_width > 0 ? rule->absolute_width / fabs(e->mean) : rule->target_width;
}

bool stop_narrow_enough(const struct estimate *e, const struct stop_rule *rule)
{
    struct estimate wide = stop_widened(e, rule);
    return relative_width(&wide) <= stop_target_width(e, rule);
}

bool stop_independent_enough(const struct estimate *e, const struct stop_rule *rule)
{
    return e->memory > 0 || e->effective_n >= (double)rule->minimum_subsessions;
}

bool stop_long_enough(const struct estimate *e, const struct stop_rule *rule)
{
    return e->n >= stop_min_n(rule);
}

bool stop_now(const struct estimate *e, const struct stop_rule *rule)
{
    return stop_long_enough(e, rule) && stop_independent_enough(e, rule) &&
           stop_narrow_enough(e, rule);
}

/* The variance of the mean falls as n^-decay; the correction of the width (variance_factor) falls
   faster. */
static double decay_of(const struct estimate *e)
{
    return 1 - 2 * e->memory;
}

static double effective_at(const struct estimate *e, double more)
{
    return e->effective_n * pow(more, decay_of(e));
}

static double required_for_width(const struct estimate *e, double target)
{
    double n = (double)e->n, excess = relative_width(e) / target, more = 1;
    for (int step = 0; step < 10; step++)
        more = pow(excess * excess * variance_factor(e, n * more, effective_at(e, more)),
                   1 / decay_of(e));
    return n * more;
}

double stop_expected_width(const struct estimate *e, const struct stop_rule *rule, double n)
{
    double more = n / (double)e->n, width = relative_width(e) * pow(more, -decay_of(e) / 2);
    if (rule->method == INTERVAL_PILOT || !isfinite(width))
        return width;
    return width * sqrt(variance_factor(e, n, effective_at(e, more)));
}

double stop_required_n(const struct estimate *e, const struct stop_rule *rule)
{
    double n = (double)e->n, min = (double)stop_min_n(rule);
    if (stop_now(e, rule))
        return n;
    if (e->mean != 0 && isinf(e->high))
        return fmax(min, n + 1);
    if (rule->method == INTERVAL_PILOT) {
        /* The required number is h var_q (t / half)^2 / h, because the present half width is t
           sqrt(var_q / h): h is the number of subsessions, var_q the variance of their means, and
           half the required half width. */
        double excess = relative_width(e) / stop_target_width(e, rule);
        double count = ceil((double)e->subsessions * excess * excess);
        return fmax(n + 1,
                    (double)e->subsession_size * fmax(count, (double)rule->minimum_subsessions));
    }
    double for_count = e->memory > 0 ? 0 : n * (double)rule->minimum_subsessions / e->effective_n;
    double required = fmax(required_for_width(e, stop_target_width(e, rule)), for_count);
    return ceil(fmax(n + 1, fmax(min, required)));
}
