/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics intervals of percentiles, and the design effect of clustered latencies. */
#include "stat/estimate/percentile.h"

#include <math.h>

#include "stat/basic/distribution.h"
#include "stat/estimate/estimate.h"

/* Probabilities this close (relative) count as equal: rounding must not move a rank. */
#define ROUNDING 1e-11

/* Least k in [0, n] with P(K <= k) > tail (or >= tail), K ~ Binomial(n, share). */
struct search {
    double n, share;
    double tail;
    bool beyond; /* > instead of >= */
};

static bool reached(const struct search *s, double k)
{
    double cdf = binomial_cdf(k, s->n, s->share);
    return s->beyond ? cdf > s->tail * (1 + ROUNDING) : cdf >= s->tail * (1 - ROUNDING);
}

/* Bisection between two k that are tried outwards from the normal approximation. */
static double min_reached(const struct search *s)
{
    double sd = sqrt(s->n * s->share * (1 - s->share));
    double guess = floor(s->n * s->share + normal_quantile(s->tail) * sd);
    double step = 1 + floor(sd / 100), below = guess - step, at = guess + step;
    while (below >= 0 && reached(s, below)) {
        below -= step;
        step *= 2;
    }
    while (at < s->n && !reached(s, at)) {
        at += step;
        step *= 2;
    }
    below = fmax(below, -1);
    at = fmin(at, s->n);
    while (at - below > 1) {
        double middle = floor((below + at) / 2);
        if (reached(s, middle))
            at = middle;
        else
            below = middle;
    }
    return at;
}

bool percentile_ranks(double n, double share, double confidence, double *lower, double *upper)
{
    double tail = (1 - confidence) / 2;
    n = floor(n);
    if (!(n >= 1))
        return false;
    struct search low = {n, share, tail, true}, high = {n, share, 1 - tail, false};
    *lower = min_reached(&low);
    *upper = min_reached(&high) + 1;
    return *lower >= 1 && *upper <= n;
}

double percentile_min_n(double share, double confidence, bool two_sided)
{
    double tail = two_sided ? (1 - confidence) / 2 : 1 - confidence;
    double slower = two_sided ? fmax(share, 1 - share) : share;
    return ceil(log(tail) / log(slower) * (1 - ROUNDING));
}

double percentile_threshold(const struct histogram *total, double share)
{
    if (total->n == 0)
        return NAN;
    uint64_t rank = histogram_nearest_rank(total->n, share);
    size_t bucket = histogram_bucket((uint64_t)histogram_rank(total, rank));
    double edge = histogram_edge(bucket);
    if (bucket == HISTOGRAM_BUCKETS)
        return edge - 1; /* nothing is surely above a value in `over` */
    double without = (double)histogram_above(total, edge);
    double with = without + (double)total->count[bucket];
    double wanted = (1 - share) * (double)total->n;
    bool nearer = without * with < wanted * wanted;
    return with < (double)total->n && nearer ? edge - 1 : edge;
}

/* Sums over the intervals. */
struct exceedances {
    double above, count;
    double squares, fourths; /* of the residuals above - count * (above / count) */
};

static struct exceedances exceedances_of(const double above[], const double count[],
                                         size_t intervals)
{
    struct exceedances e = {0};
    for (size_t i = 0; i < intervals; i++) {
        e.above += above[i];
        e.count += count[i];
    }
    for (size_t i = 0; i < intervals; i++) {
        double residual = above[i] - count[i] * e.above / e.count;
        double square = residual * residual;
        e.squares += square;
        e.fourths += square * square;
    }
    return e;
}

/*
 * Degrees of freedom of the residuals' variance, from their fourth moment: as many as intervals
 * when they are normal, about 2 for each event when a few intervals hold all events. Residuals that
 * depend on each other carry fewer in proportion.
 */
static double degrees_of(const struct exceedances *e, size_t intervals, double independent)
{
    double n = (double)intervals;
    double excess = e->fourths / (e->squares * e->squares) - 1 / n;
    return excess > 0 ? fmax(1, 2 / excess * fmin(1, independent / n)) : n;
}

double percentile_effective_n(const double above[], const double count[], size_t intervals,
                              double confidence, struct arena *scratch)
{
    struct exceedances e = exceedances_of(above, count, intervals);
    if (!(e.above > 0 && e.above < e.count))
        return e.count;
    if (intervals < 3)
        return 0;
    struct estimate_config config = {INTERVAL_SPECTRAL, confidence, 0.1};
    struct estimate share = estimate_ratio(above, count, intervals, &config, scratch);
    if (!isfinite(share.high - share.low))
        return 0;
    if (e.squares <= 0)
        return e.count;

    /* Intervals that even each other out (a stall every second) are not taken as worth more. */
    double quantile = (1 + confidence) / 2;
    double z = normal_quantile(quantile);
    double half_width = fmax((share.high - share.low) / 2, z * share.sd / sqrt((double)intervals));
    /* n independent values would give a half width of z sqrt(p (1 - p) / n). */
    double p = e.above / e.count;
    double n = p * (1 - p) * (z / half_width) * (z / half_width);
    double degrees = degrees_of(&e, intervals, share.effective_n);
    double widening = student_t_quantile(quantile, degrees) / z;
    return fmin(e.count, n / (widening * widening));
}

struct percentile percentile_of(const struct histogram *total, double share, double confidence,
                                double effective_n)
{
    double n = (double)total->n;
    struct percentile p = {
        .share = share,
        .value = NAN,
        .low = NAN,
        .high = NAN,
        .confidence = confidence,
        .n = total->n,
        .effective_n = fmin(effective_n, n),
    };
    double lower, upper, unused;
    p.enough = percentile_ranks(p.effective_n, share, confidence, &lower, &upper);
    if (!p.enough)
        return p;
    double block = n / floor(p.effective_n);
    double first = floor((lower - 1) * block) + 1, last = ceil(upper * block);
    p.value = histogram_quantile(total, share);
    histogram_rank_bounds(total, (uint64_t)first, &p.low, &unused);
    histogram_rank_bounds(total, (uint64_t)fmin(last, n), &unused, &p.high);
    return p;
}

size_t percentile_scratch_bytes(size_t intervals)
{
    return estimate_scratch_bytes(intervals) + 2 * arena_bytes(intervals, sizeof(double));
}

static double effective_n_at(const struct percentile_intervals *x, double threshold,
                             double confidence, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *above = arena_alloc(scratch, x->intervals, sizeof *above);
    double *count = arena_alloc(scratch, x->intervals, sizeof *count);
    x->counts(x->source, threshold, above, count);
    double n = percentile_effective_n(above, count, x->intervals, confidence, scratch);
    arena_reset(scratch, mark);
    return n;
}

struct percentile percentile_of_intervals(const struct percentile_intervals *x, double share,
                                          double confidence, struct arena *scratch)
{
    double threshold = percentile_threshold(x->total, share);
    double n = effective_n_at(x, threshold, confidence, scratch);
    struct percentile p = percentile_of(x->total, share, confidence, n);
    if (!p.enough)
        return p;
    double n_at_end = effective_n_at(x, p.high, confidence, scratch);
    struct percentile wider = percentile_of(x->total, share, confidence, fmin(n, n_at_end));
    return wider.enough ? wider : p;
}
