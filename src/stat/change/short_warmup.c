/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first readings against the distribution and the long-run variance of the later ones. */
#include "stat/change/internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/mean_variance.h"

#define MIN_READINGS  3
#define SHARE_OUTSIDE 0.8
#define RARE          0.01
#define CONFIDENCE    0.95

size_t short_warmup_scratch_bytes(size_t n)
{
    return arena_bytes(n, sizeof(double)) + mean_variance_scratch_bytes(n);
}

size_t short_warmup_length(const double x[], size_t n, size_t max, double min_worth,
                           struct arena *scratch)
{
    if (n < 2 * max)
        return 0;
    /* The later readings belong to no short warm-up: their mean, and the limits outside which a
       share RARE lies on either side. */
    const double *later = x + max;
    const size_t later_count = n - max, mark = arena_mark(scratch);
    double *copy = arena_alloc(scratch, later_count, sizeof *copy);
    memcpy(copy, later, later_count * sizeof *copy);
    const double mean = mean_of(later, later_count), count = (double)later_count;
    const double low = quantile_of(copy, later_count, RARE);
    const double high = quantile_of(copy, later_count, 1 - RARE);
    const struct mean_variance v = mean_variance_of(later, later_count, CONFIDENCE, scratch);
    arena_reset(scratch, mark);
    const double density = fmax(v.value * count, DBL_MIN), degrees = fmax(v.degrees, 1);
    size_t below = 0, above = 0, length = 0;
    double sum = 0, best = min_worth;
    for (size_t k = 1; k <= max; k++) {
        double reading = x[k - 1];
        sum += reading;
        below += reading < low;
        above += reading > high;
        bool last_outside = below > above ? reading < low : reading > high;
        size_t outside = below > above ? below : above;
        if (k < MIN_READINGS || !last_outside || (double)outside < SHARE_OUTSIDE * (double)k)
            continue;
        double step = mean - sum / (double)k;
        double square = step * step / (density * (1 / (double)k + 1 / count));
        double worth = (degrees + 1) * log1p(square / degrees);
        if (worth >= best) {
            best = worth;
            length = k;
        }
    }
    return length;
}
