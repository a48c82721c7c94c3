/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges limits. The evidence stays valid however often the verdict is asked for. */
#include "stat/estimate/limit_verdict.h"

#include <math.h>

#include "stat/basic/distribution.h"

/* A verdict needs at least this many independent time slices, because fewer show nothing about
   clusters. */
#define MIN_STRETCHES 30

static struct limit_verdict lacking(const char *lack, double more)
{
    return (struct limit_verdict){SEQUENTIAL_UNDECIDED, more, lack, false};
}

/* Turns the evidence into a verdict. `needs` is the result of a sequential_..._needs function: the
   factor by which the number of readings must grow. */
static struct limit_verdict decided_by(const struct sequential *evidence, double alpha,
                                       double needs)
{
    enum sequential_verdict verdict = sequential_decide(evidence, alpha);
    return (struct limit_verdict){verdict, verdict ? 1 : needs, NULL, false};
}

bool limit_is_far(double value, double part_low, double part_high, double limit)
{
    if (!(part_low > 0 && isfinite(part_high)))
        return false;
    if (limit <= 0)
        return true;
    const double wander = fmax(log(part_high / value), log(value / part_low));
    return fabs(log(limit / value)) >= fmax(log(LIMIT_FAR_FACTOR), LIMIT_FAR_TIMES * wander);
}

/* A few readings show little of how the mean moves over time. So if n, the number of readings, is
   below LIMIT_FAR_READINGS, the distance to the limit is first shortened by (n /
   LIMIT_FAR_READINGS)^2. */
static bool mean_is_far(const struct estimate *mean, double limit)
{
    const double few = fmin((double)mean->n / LIMIT_FAR_READINGS, 1);
    if (mean->n < LIMIT_MEAN_INDEPENDENT)
        return false;
    if (limit > 0 && mean->mean > 0)
        limit = mean->mean * pow(limit / mean->mean, few * few);
    return limit_is_far(mean->mean, mean->part_low, mean->part_high, limit);
}

struct limit_verdict limit_verdict_of_mean(const struct estimate *mean, const struct limit *limit)
{
    if (!isfinite(mean->high - mean->low) || mean->n < 2)
        return lacking("too few readings", INFINITY);
    double error = (mean->high - mean->low) / 2 / normal_quantile((1 + mean->confidence) / 2);
    double inside = limit->above ? mean->mean - limit->value : limit->value - mean->mean;
    double distance = error > 0 ? inside / error : inside > 0 ? INFINITY : -INFINITY;
    const bool far = mean_is_far(mean, limit->value);
    if (far || isinf(distance)) /* the distance is infinite if all readings are equal */
        return (struct limit_verdict){distance > 0 ? SEQUENTIAL_PASS : SEQUENTIAL_FAIL, 1, NULL,
                                      far};
    const double n = fmax(mean->effective_n, mean->degrees + 1);
    const double asked =
        fmin(fmax(LIMIT_MEAN_SHARE * (double)mean->n, LIMIT_MEAN_INDEPENDENT), LIMIT_MEAN_ENOUGH);
    if (n < asked)
        return lacking("the level wanders", asked / n);
    struct sequential evidence = sequential_mean(distance, n, limit->alpha);
    return decided_by(&evidence, limit->alpha, sequential_mean_needs(distance, n, limit->alpha));
}

struct limit_verdict limit_verdict_of_share(double share, double effective_n,
                                            const struct limit *limit)
{
    double above = effective_n * share, rest = effective_n * (1 - share);
    struct sequential evidence = sequential_share(above, rest, limit->value);
    if (limit->above)
        evidence = (struct sequential){evidence.fail, evidence.pass};
    return decided_by(&evidence, limit->alpha,
                      sequential_share_needs(above, rest, limit->value, limit->alpha));
}

double limit_verdict_unseen(double length)
{
    return length / LIMIT_UNSEEN_LENGTHS;
}

/* Returns the weight of the evidence at a threshold. The limit itself (threshold 0) has the largest
   weight: when the percentile is close to it, its evidence decides. */
static double weight_of(size_t threshold, size_t thresholds)
{
    const double at_limit = 0.45;
    if (thresholds == 1)
        return 1;
    return threshold == 0 ? at_limit : (1 - at_limit) / (double)(thresholds - 1);
}

/* Returns the logarithm of the weighted mean of values whose logarithms are x[0..n). */
static double log_mean_of(const double x[], size_t n)
{
    double max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    for (size_t i = 0; i < n && isfinite(max); i++)
        sum += weight_of(i, n) * exp(x[i] - max);
    return isfinite(max) ? max + log(sum) : max;
}

/* Returns the number of independent values at the percentile that the share `rare` exceeds. It
   assumes that this share moves over time as the shares above the thresholds `wide` do, but with
   `times` their relative variance. */
static double worth_under_drift(const struct exceedance wide[LIMIT_WIDE], double rare, double times)
{
    double least = INFINITY;
    for (size_t i = 0; wide && i < LIMIT_WIDE; i++) {
        const struct exceedance *e = &wide[i];
        if (!(e->above > 0 && e->above < e->count))
            continue; /* no value, or every value, lies above this threshold */
        double excess = fmax(e->count / exceedance_worth_at(e, rare) - 1, 0);
        least = fmin(least, e->count / (1 + times * excess));
    }
    return least;
}

/* Returns the smallest number of independent time slices over these thresholds. */
static double stretches_of(const struct exceedance wide[LIMIT_WIDE])
{
    double least = INFINITY;
    for (size_t i = 0; wide && i < LIMIT_WIDE; i++)
        if (wide[i].above > 0 && wide[i].above < wide[i].count)
            least = fmin(least, wide[i].stretches);
    return least;
}

struct limit_verdict limit_verdict_of_percentile(const struct exceedance most[],
                                                 const struct exceedance least[], size_t thresholds,
                                                 const struct exceedance wide[LIMIT_WIDE],
                                                 double share, bool below, size_t stretches,
                                                 const struct limit *limit)
{
    if (stretches < MIN_STRETCHES)
        return lacking("too few stretches of time to see clusters in",
                       stretches ? (double)MIN_STRETCHES / (double)stretches : INFINITY);
    double few[LIMIT_THRESHOLDS], many[LIMIT_THRESHOLDS], needs = INFINITY, rare = 1 - share;
    const double kept_n = worth_under_drift(wide, rare, LIMIT_KEPT_TIMES);
    /* If every value lies above the limit, no change of the level had an influence on the verdict.
     */
    const bool all_above = least[0].share >= 1;
    const double broken_n =
        all_above ? INFINITY : worth_under_drift(wide, rare, LIMIT_BROKEN_TIMES);
    for (size_t i = 0; i < thresholds; i++) {
        double n = most[i].effective_n, m = least[i].effective_n;
        /* the counts of `most` and `least` differ only by the values in the limit's bucket */
        if (i == 0)
            n = m = fmin(n, m);
        n = fmin(n, kept_n);
        m = fmin(m, broken_n);
        few[i] = sequential_share(n * most[i].share, n * (1 - most[i].share), rare).pass;
        many[i] = sequential_share(m * least[i].share, m * (1 - least[i].share), rare).fail;
        /* Thresholds on the other side of the percentile never count for this verdict. */
        double seen = below ? most[i].share : least[i].share, worth = below ? n : m;
        if (below ? seen >= rare : seen <= rare)
            continue;
        needs = fmin(needs, sequential_share_needs(worth * seen, worth * (1 - seen), rare,
                                                   limit->alpha * weight_of(i, thresholds)));
    }
    double low = log_mean_of(few, thresholds), high = log_mean_of(many, thresholds);
    struct sequential evidence = {limit->above ? high : low, limit->above ? low : high};
    struct limit_verdict verdict = decided_by(&evidence, limit->alpha, needs);
    bool kept_below = verdict.verdict == (limit->above ? SEQUENTIAL_FAIL : SEQUENTIAL_PASS);
    const bool broken_by_far = least[0].share >= fmin(0.5, LIMIT_WIDER * rare);
    const double asked = !kept_below && all_above      ? 0
                         : kept_below || broken_by_far ? LIMIT_KEPT_STRETCHES
                                                       : LIMIT_BROKEN_STRETCHES;
    const double independent = stretches_of(wide);
    if (verdict.verdict && independent < asked)
        return lacking("the level wanders", asked / independent);
    return verdict;
}
