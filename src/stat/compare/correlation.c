/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes Pearson's correlation coefficient and its interval. */
#include "stat/compare/correlation.h"

#include <math.h>

#include "stat/basic/distance.h"
#include "stat/basic/distribution.h"

struct correlation correlation_interval_of(const double x[], const double y[], size_t n,
                                           double confidence)
{
    struct correlation c = {correlation_of(x, y, n), -1, 1};
    if (isnan(c.value))
        return c;
    if (n < CORRELATION_MIN_POINTS)
        return c;
    double z = normal_quantile((1 + confidence) / 2) / sqrt((double)n - 3);
    c.low = fabs(c.value) < 1 ? tanh(atanh(c.value) - z) : c.value;
    c.high = fabs(c.value) < 1 ? tanh(atanh(c.value) + z) : c.value;
    return c;
}
