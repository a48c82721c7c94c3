/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sessions differ by beyond what each says of itself. */
#include <math.h>

#include "run/history/history.h"
#include "run/history/internal.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/long_memory.h"

#define MIN_VARIANCE 1e-8 /* a session is not known better than to one part in 10,000 */

/* Returns the variance that the next session's value has by what `before` says of itself, relative
   to the square of its mean. */
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
        b.pairs++;
    }
    if (b.pairs) {
        b.variance = fmax(seen - (double)b.pairs, 0) / weights;
        b.degrees = 2 * weights * weights / squares / 3;
    }
    return b;
}

double between_sessions_half(const struct between_sessions *b, double confidence)
{
    if (b->pairs < BETWEEN_SESSIONS_MIN)
        return 0;
    return student_t_quantile((1 + confidence) / 2, fmax(b->degrees, 1)) * sqrt(b->variance);
}
