/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges histograms and finds the values of ranks. */
#include "stat/basic/histogram.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

void histogram_clear(struct histogram *h)
{
    memset(h, 0, sizeof *h);
    h->min = UINT64_MAX;
}

/* Returns the index after the last bucket that holds a value. The histogram must not be empty. */
static size_t buckets_end(const struct histogram *h)
{
    size_t last = histogram_bucket(h->max);
    return last < HISTOGRAM_BUCKETS ? last + 1 : HISTOGRAM_BUCKETS;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    if (from->n == 0)
        return;
    to->n += from->n;
    to->sum += from->sum;
    to->over += from->over;
    if (from->min < to->min)
        to->min = from->min;
    if (from->max > to->max)
        to->max = from->max;
    size_t end = buckets_end(from);
    for (size_t i = histogram_bucket(from->min); i < end; i++)
        to->count[i] += from->count[i];
}

double histogram_edge(size_t bucket)
{
    if (bucket < 2 * HISTOGRAM_SUBBUCKETS)
        return (double)bucket;
    int shift = (int)(bucket / HISTOGRAM_SUBBUCKETS) - 1;
    return ldexp((double)(HISTOGRAM_SUBBUCKETS + bucket % HISTOGRAM_SUBBUCKETS), shift);
}

/* Position of a rank: its bucket (HISTOGRAM_BUCKETS for `over`), and the number of values before
   that bucket. */
struct position {
    double least, greatest; /* smallest and largest whole number of ns in the bucket */
    double share;           /* position of the rank between `least` and `greatest`, 0 to 1 */
};

static struct position position_of(const struct histogram *h, uint64_t rank)
{
    uint64_t before = 0;
    size_t bucket = 0;
    while (bucket < HISTOGRAM_BUCKETS && before + h->count[bucket] < rank)
        before += h->count[bucket++];
    bool within = bucket < HISTOGRAM_BUCKETS;
    uint64_t count = within ? h->count[bucket] : h->over;
    struct position p = {
        .least = histogram_edge(bucket),
        .greatest = within ? histogram_edge(bucket + 1) - 1 : (double)h->max,
        .share = ((double)(rank - before) - 0.5) / (double)count,
    };
    p.least = fmax(p.least, (double)h->min);
    p.greatest = fmin(p.greatest, (double)h->max);
    return p;
}

uint64_t histogram_nearest_rank(uint64_t n, double share)
{
    /* Rounding makes 0.07 * 100 a little larger than 7; the rank must be 7, not 8. */
    double rank = ceil(share * (double)n * (1 - 4 * DBL_EPSILON));
    if (!(rank >= 1))
        return 1;
    return rank < (double)n ? (uint64_t)rank : n;
}

double histogram_rank(const struct histogram *h, uint64_t rank)
{
    if (h->n == 0)
        return NAN;
    if (rank <= 1)
        return (double)h->min;
    if (rank >= h->n)
        return (double)h->max;
    struct position p = position_of(h, rank);
    return p.least + (p.greatest - p.least) * p.share;
}

double histogram_quantile(const struct histogram *h, double share)
{
    return histogram_rank(h, histogram_nearest_rank(h->n, share));
}

uint64_t histogram_above(const struct histogram *h, double ns)
{
    if (h->n == 0 || !(ns < histogram_edge(HISTOGRAM_BUCKETS)))
        return 0;
    uint64_t above = h->over;
    size_t bucket = ns < 0 ? 0 : histogram_bucket((uint64_t)ns) + 1;
    for (size_t end = buckets_end(h); bucket < end; bucket++)
        above += h->count[bucket];
    return above;
}
