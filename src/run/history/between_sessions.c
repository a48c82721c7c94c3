/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates how much sessions differ beyond the confidence intervals that they state themselves. */
#include <math.h>

#include "run/history/history.h"
#include "run/history/internal.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/long_memory.h"

#define MIN_VARIANCE 1e-8 /* a session's value is not known better than to one part in 10,000 */

/* Returns the variance with which the next session's value should differ from that of `before`,
   according to the prediction of `before`. It is relative to the square of the mean of `before`. */
static double own_variance(const struct history_session *before, const struct history_session *next)
{
    const double error = (before->high - before->low) / 2 /
                         normal_quantile((1 + before->confidence) / 2) / before->mean;
    const double stretch = prediction_stretch(before->seconds, next->seconds, before->memory);
    return error * error * long_memory_next_factor(before->memory) * stretch * stretch;
}

struct between_sessions between_sessions_of(const struct history *h)
{
    struct between_sessions b = {0};
    double seen = 0, weights = 0, squares = 0;
    for (size_t i = h->count; i-- > 1 && b.pairs < PREDICTIONS_COUNTED;) {
        const struct history_session *before = &h->sessions[i - 1], *next = &h->sessions[i];
        if ((next->check != PREDICTION_HELD && next->check != PREDICTION_MISSED) ||
            before->level != next->level || !isfinite(before->high - before->low))
            continue;
        const double difference = (next->mean - before->mean) / before->mean;
        const double weight = 1 / fmax(own_variance(before, next), MIN_VARIANCE);
        seen += weight * difference * difference;
        weights += weight;
        squares += weight * weight;
        b.seconds += weight * next->seconds;
        b.pairs++;
    }
    if (b.pairs) {
        b.variance = fmax(seen - (double)b.pairs, 0) / weights;
        b.degrees = 2 * weights * weights / squares / 3;
        b.seconds /= weights;
    }
    return b;
}

double between_sessions_half(const struct between_sessions *b, double confidence)
{
    if (b->pairs < BETWEEN_SESSIONS_MIN)
        return 0;
    return student_t_quantile((1 + confidence) / 2, fmax(b->degrees, 1)) * sqrt(b->variance);
}

double between_sessions_seconds(const struct between_sessions *b, double half, double confidence)
{
    const double z = normal_quantile((1 + confidence) / 2);
    return b->pairs < BETWEEN_SESSIONS_MIN ? 0 : b->seconds * b->variance * (z / half) * (z / half);
}
