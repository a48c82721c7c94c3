/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how the interval of a statistic narrows with the number k of runs, by drawing k of the
   measured runs again and again. */
#include "stat/convergence/convergence.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "stat/basic/descriptive.h"

#define RESAMPLES 2000
/* larger numbers of runs are computed from the law that the width falls as 1 / sqrt(runs) */
#define MAX_DRAWS     2000.0
#define SEARCH_MARGIN 4 /* the search ends at this multiple of the number that the law gives */

static double statistic_of(const struct convergence_request *q, double x[], size_t n)
{
    switch (q->statistic) {
    case CONVERGENCE_MEAN:
        return mean_of(x, n);
    case CONVERGENCE_DEVIATION:
        return standard_deviation_of(x, n, mean_of(x, n));
    case CONVERGENCE_PERCENTILE:
        return quantile_of(x, n, q->share);
    }
    return NAN;
}

/* Memory for draws of up to a given number of runs, and for the statistics of all draws. */
struct draws {
    double *sample, *value;
    size_t resamples;
};

static void free_draws(struct draws *d)
{
    free(d->sample);
    free(d->value);
    d->sample = d->value = NULL;
}

static int make_draws(struct draws *d, const struct convergence_request *q, size_t runs,
                      struct err *e)
{
    d->resamples = q->resamples ? q->resamples : RESAMPLES;
    d->sample = malloc(runs * sizeof *d->sample);
    d->value = malloc(d->resamples * sizeof *d->value);
    if (d->sample && d->value)
        return 0;
    free_draws(d);
    err_no_memory(e, "%zu runs", runs);
    return -1;
}

/* A draw of more runs begins with the same runs as the draw of fewer, so that steps differ only by
   the added runs. */
static struct convergence_step draw_step(struct draws *d, const struct convergence_request *q,
                                         size_t runs)
{
    struct random random;
    double tail = (1 - q->confidence) / 2;
    for (size_t i = 0; i < d->resamples; i++) {
        random_seed(&random, q->seed, i);
        for (size_t k = 0; k < runs; k++)
            d->sample[k] = q->runs[random_below(&random, q->n)];
        d->value[i] = statistic_of(q, d->sample, runs);
    }
    return (struct convergence_step){runs, quantile_of(d->value, d->resamples, tail),
                                     quantile_of(d->value, d->resamples, 1 - tail)};
}

int convergence_curve(struct convergence_step steps[], size_t first, size_t last,
                      const struct convergence_request *q, struct err *e)
{
    struct draws d;
    if (make_draws(&d, q, last, e))
        return -1;
    for (size_t runs = first; runs <= last; runs++)
        steps[runs - first] = draw_step(&d, q, runs);
    free_draws(&d);
    return 0;
}

double convergence_reached(const struct convergence_step steps[], size_t count, size_t step)
{
    double first = steps[0].high - steps[0].low;
    double last = steps[count - 1].high - steps[count - 1].low;
    double here = steps[step].high - steps[step].low;
    return first > last ? (first - here) / (first - last) : 1;
}

size_t convergence_runs(const struct convergence_step steps[], size_t count, double share)
{
    size_t step = 0;
    while (step + 1 < count && convergence_reached(steps, count, step) < share)
        step++;
    return steps[step].runs;
}

double convergence_runs_by_law(double first, double last, double share)
{
    double from = 1 / sqrt(first), to = 1 / sqrt(last), here = from - share * (from - to);
    return 1 / (here * here);
}

/* Returns the smallest number of runs in 2 .. limit whose interval is narrow enough; the width
   falls with the number of runs. */
static double search(struct draws *d, const struct convergence_request *q, size_t limit,
                     double width)
{
    size_t too_few = 1, enough = limit;
    struct convergence_step s = draw_step(d, q, limit);
    if (s.high - s.low > width)
        return INFINITY;
    while (enough - too_few > 1) {
        size_t middle = too_few + (enough - too_few) / 2;
        s = draw_step(d, q, middle);
        *(s.high - s.low > width ? &too_few : &enough) = middle;
    }
    return (double)enough;
}

int runs_needed_for(struct runs_needed *out, const struct convergence_request *q, double precision,
                    struct err *e)
{
    struct draws d;
    if (make_draws(&d, q, q->n, e))
        return -1;
    struct convergence_step now = draw_step(&d, q, q->n);
    for (size_t i = 0; i < q->n; i++)
        d.sample[i] = q->runs[i];
    double value = fabs(statistic_of(q, d.sample, q->n)), width = now.high - now.low;
    free_draws(&d);

    *out = (struct runs_needed){.precision = width > 0 ? width / 2 / value : 0};
    double ratio = out->precision / precision;
    out->by_law = fmax(2, (double)q->n * ratio * ratio);
    out->runs = out->by_law;
    double limit = ceil(fmax(SEARCH_MARGIN * out->by_law, 16));
    if (limit <= MAX_DRAWS) {
        if (make_draws(&d, q, (size_t)limit, e))
            return -1;
        double found = search(&d, q, (size_t)limit, 2 * precision * value);
        out->runs = isfinite(found) ? found : out->by_law;
        free_draws(&d);
    }
    out->beyond = out->runs > (double)q->n;
    return 0;
}
