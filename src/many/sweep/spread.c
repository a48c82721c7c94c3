/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether the spread of a configuration is known precisely enough. */
#include <math.h>
#include <stdlib.h>

#include "many/sweep/internal.h"

_Static_assert(SWEEP_INTERVAL_RUNS == DEVIATION_MIN, "the report says what the statistics need");

bool sweep_deviation_is_narrow(const struct sweep_plan *plan, const struct deviation *d, size_t n)
{
    if (n < DEVIATION_MIN)
        return false;
    if (d->sd <= 0) /* all runs are equal */
        return true;
    return d->high - d->sd <= plan->sd_width * d->sd && d->sd - d->low <= plan->sd_width * d->sd;
}

bool sweep_is_narrow(const struct sweep_plan *plan, const struct sweep_runs *all,
                     uint32_t configuration)
{
    double *x = calloc(all->count + 1, sizeof *x);
    size_t n = 0;
    if (!x)
        return false;
    for (size_t i = 0; i < all->count; i++) {
        const struct sweep_run *run = &all->runs[i];
        if (run->configuration == configuration && !run->control && isfinite(run->values[0]))
            x[n++] = run->values[0];
    }
    struct deviation d = deviation_of(x, n, SWEEP_CONFIDENCE);
    free(x);
    return sweep_deviation_is_narrow(plan, &d, n);
}
