/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the number of runs for a narrow interval of the median, by drawing from the measured
   runs without replacement (CONFIRM, Maricq et al., OSDI 2018). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/convergence/convergence.h"

#define FEWEST_RUNS 10
#define CHOICES     200

bool median_ranks(size_t n, double confidence, size_t *lower, size_t *upper)
{
    double z = normal_quantile((1 + confidence) / 2) * sqrt((double)n);
    double low = floor(((double)n - z) / 2), high = ceil(1 + ((double)n + z) / 2);
    if (low < 1 || high > (double)n)
        return false;
    *lower = (size_t)low;
    *upper = (size_t)high;
    return true;
}

/* Returns true if the interval of the median of `runs` runs, averaged over random choices, lies
   within low .. high. `room` is scratch for 3 n values. */
static bool lies_within(const struct convergence_request *q, size_t runs, double low, double high,
                        double room[])
{
    size_t lower, upper;
    double sum_low = 0, sum_high = 0, *all = room, *chosen = room + q->n;
    struct random random;
    if (!median_ranks(runs, q->confidence, &lower, &upper))
        return false;
    random_seed(&random, q->seed, runs);
    memcpy(all, q->runs, q->n * sizeof *all);
    for (size_t choice = 0; choice < CHOICES; choice++) {
        for (size_t i = 0; i < runs; i++) {
            size_t k = i + random_below(&random, q->n - i);
            double value = all[k];
            all[k] = all[i];
            all[i] = chosen[i] = value;
        }
        sort_values(chosen, runs, room + 2 * q->n);
        sum_low += chosen[lower - 1] / CHOICES;
        sum_high += chosen[upper - 1] / CHOICES;
    }
    return sum_low >= low && sum_high <= high;
}

int confirm_runs(size_t *out, const struct convergence_request *q, double precision, struct err *e)
{
    double *room = malloc(3 * q->n * sizeof *room);
    if (!room)
        return err_no_memory(e, "%zu runs", q->n);
    memcpy(room, q->runs, q->n * sizeof *room);
    double median = median_of(room, q->n), arm = precision * fabs(median);
    *out = 0;
    for (size_t runs = FEWEST_RUNS; runs <= q->n && *out == 0; runs++)
        if (lies_within(q, runs, median - arm, median + arm, room))
            *out = runs;
    free(room);
    return 0;
}
