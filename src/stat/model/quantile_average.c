/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of neighbours, mixed level by level. */
#include "stat/model/model.h"

#include <math.h>

#include "stat/basic/sort.h"

void quantile_levels(const double sorted[], size_t count, double out[], size_t levels)
{
    for (size_t k = 0; k < levels; k++) {
        double place = ((double)k + 0.5) * (double)count / (double)levels - 0.5;
        double inside = fmin(fmax(place, 0), (double)(count - 1));
        size_t below = (size_t)inside, above = below + 1 < count ? below + 1 : below;
        double share = inside - (double)below;
        out[k] = sorted[below] + share * (sorted[above] - sorted[below]);
    }
}

/* Negative weights may bring two levels out of order. */
void quantile_average(const double table[], size_t n, size_t levels, const double weight[],
                      bool logarithmic, double out[], double room[])
{
    for (size_t k = 0; k < levels; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            double value = table[i * levels + k];
            sum += weight[i] * (logarithmic ? log(value) : value);
        }
        out[k] = logarithmic ? exp(sum) : sum;
    }
    sort_values(out, levels, room);
}
