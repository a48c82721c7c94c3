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

/* The readings that are late enough to belong to no short warm-up. */
struct later {
    double mean, low, high; /* of all but a share RARE on either side */
    struct mean_variance of_mean;
    double count;
};

size_t short_warmup_scratch_bytes(size_t n)
{
    return arena_bytes(n, sizeof(double)) + mean_variance_scratch_bytes(n);
}

static struct later describe_later(const double x[], size_t n, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *copy = arena_alloc(scratch, n, sizeof *copy);
    memcpy(copy, x, n * sizeof *copy);
    struct later l = {.mean = mean_of(x, n), .count = (double)n};
    l.low = quantile_of(copy, n, RARE);
    l.high = quantile_of(copy, n, 1 - RARE);
    l.of_mean = mean_variance_of(x, n, CONFIDENCE, scratch);
    arena_reset(scratch, mark);
    return l;
}

size_t short_warmup_length(const double x[], size_t n, size_t max, double min_worth,
                           struct arena *scratch)
{
    if (n < 2 * max)
        return 0;
    struct later later = describe_later(x + max, n - max, scratch);
    const double density = fmax(later.of_mean.value * later.count, DBL_MIN);
    const double degrees = fmax(later.of_mean.degrees, 1);
    size_t below = 0, above = 0, length = 0;
    double sum = 0, best = min_worth;
    for (size_t k = 1; k <= max; k++) {
        double reading = x[k - 1];
        sum += reading;
        below += reading < later.low;
        above += reading > later.high;
        bool last_outside = below > above ? reading < later.low : reading > later.high;
        size_t outside = below > above ? below : above;
        if (k < MIN_READINGS || !last_outside || (double)outside < SHARE_OUTSIDE * (double)k)
            continue;
        double step = later.mean - sum / (double)k;
        double square = step * step / (density * (1 / (double)k + 1 / later.count));
        double worth = (degrees + 1) * log1p(square / degrees);
        if (worth >= best) {
            best = worth;
            length = k;
        }
    }
    return length;
}
