/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the design effect of values that come in clusters. */
#include "stat/estimate/exceedance.h"

#include <math.h>

#include "stat/basic/distribution.h"
#include "stat/estimate/estimate.h"

size_t exceedance_scratch_bytes(size_t intervals)
{
    return estimate_scratch_bytes(intervals);
}

struct exceedance exceedance_of(const double above[], const double count[], size_t intervals,
                                double confidence, struct arena *scratch)
{
    struct exceedance e = {0};
    for (size_t i = 0; i < intervals; i++) {
        e.above += above[i];
        e.count += count[i];
    }
    e.share = e.above / e.count;
    if (intervals < 3)
        return e;
    e.effective_n = e.count;
    e.stretches = (double)intervals;
    if (!(e.above > 0 && e.above < e.count))
        return e;

    struct estimate_config config = {INTERVAL_SPECTRAL, confidence, 0.1};
    struct estimate share = estimate_ratio(above, count, intervals, &config, scratch);
    double z = normal_quantile((1 + confidence) / 2);
    double half_width = fmax((share.high - share.low) / 2, z * share.sd / sqrt((double)intervals));
    e.stretches = share.effective_n;
    e.memory = share.memory;
    e.doubt = share.doubt;
    /* The interval of n independent values has a half width of z sqrt(p (1 - p) / n), with the
       share p and the normal quantile z. This formula is solved for n. */
    double worth = e.share * (1 - e.share) * (z / half_width) * (z / half_width);
    e.effective_n = isfinite(half_width) ? fmin(e.count, worth) : 0;
    return e;
}

struct exceedance exceedance_with_memory(const struct exceedance *e)
{
    struct exceedance with = *e;
    double square = fmax(e->doubt * e->doubt, 1);
    with.effective_n /= square;
    with.stretches /= square;
    with.doubt = 1;
    return with;
}

double exceedance_worth_at(const struct exceedance *e, double rare)
{
    double odds = (1 - e->share) / e->share;
    double excess = odds * (1 / e->effective_n - 1 / e->count); /* relative variance */
    return e->count / (1 + excess * e->count * rare / (1 - rare));
}
