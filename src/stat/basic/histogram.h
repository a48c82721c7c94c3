/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency histograms with logarithmic buckets: groups of 64 linear buckets, one group an octave.
 *
 * Group 0 holds 0..63 ns and group 1 holds 64..127 ns, both in buckets of 1 ns, so these values
 * are exact. Group g >= 1 holds the octave [2^(g+5), 2^(g+6)) ns in buckets of 2^(g-1) ns. A
 * value v of this octave is at least 64 bucket widths, so a bucket is at most v/64 = 1.56 % wide:
 * two values of one bucket differ by less than 1.56 %, and the middle of a bucket lies within
 * v/128 = 0.78 % of every value in it. The groups reach 2^(GROUPS+5) ns. Longer latencies are
 * counted in `over`, never lost, and `max` is the longest, exactly. Merging is addition, so
 * histograms of threads, hosts and intervals add up in any order. The first 29 groups have the
 * layout of fio's histograms, whose last bucket (1855) also holds everything longer.
 *
 * A histogram is plain memory: its owner clears it with histogram_clear and adds to it; one
 * thread at a time.
 */
#ifndef CUPEL_STAT_BASIC_HISTOGRAM_H
#define CUPEL_STAT_BASIC_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_SUBBUCKETS 64ul
#define HISTOGRAM_GROUPS     37ul /* the groups reach up to 2^42 ns = 73 minutes */
#define HISTOGRAM_BUCKETS    (HISTOGRAM_GROUPS * HISTOGRAM_SUBBUCKETS)

struct histogram {
    uint64_t n;        /* number of all values, those in `over` included */
    uint64_t sum;      /* sum of all values, ns */
    uint64_t min, max; /* ns; min is UINT64_MAX while empty */
    uint64_t over;
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* Returns the bucket of a value; HISTOGRAM_BUCKETS when the value is above the last bucket. */
static inline size_t histogram_bucket(uint64_t ns)
{
    if (ns < 128)
        return (size_t)ns;
    unsigned octave = 63u - (unsigned)__builtin_clzll(ns);
    size_t index = ((size_t)(octave - 6) << 6) + (size_t)(ns >> (octave - 6));
    return index < HISTOGRAM_BUCKETS ? index : HISTOGRAM_BUCKETS;
}

static inline void histogram_add(struct histogram *h, uint64_t ns)
{
    size_t bucket = histogram_bucket(ns);
    h->n++;
    h->sum += ns;
    if (ns < h->min)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
    if (__builtin_expect(bucket < HISTOGRAM_BUCKETS, 1))
        h->count[bucket]++;
    else
        h->over++;
}

void histogram_clear(struct histogram *h);
void histogram_merge(struct histogram *to, const struct histogram *from);

/* Returns the lower edge of bucket i in ns, i in 0..HISTOGRAM_BUCKETS (the last edge is the upper
   end of the range). */
double histogram_edge(size_t bucket);

/* Returns the rank of the percentile `share` among n values (nearest rank): ceil(share * n), within
   1..n. */
uint64_t histogram_nearest_rank(uint64_t n, double share);

/*
 * Returns the value of rank r (1-based, clipped to 1..n), interpolated linearly inside its bucket:
 * the inverse of the cumulative histogram. The result lies in the same bucket as the exact value,
 * and within min and max, which ranks 1 and n give exactly. Values in `over` are taken as spread
 * evenly from the end of the range to max. NaN when empty.
 */
double histogram_rank(const struct histogram *h, uint64_t rank);

/* Returns the value of the nearest rank of `share`, in [0, 1]. NaN when empty. */
double histogram_quantile(const struct histogram *h, double share);

/* Returns the number of values in the buckets above the one that holds `ns`; such values are
   certainly larger than `ns`. */
uint64_t histogram_above(const struct histogram *h, double ns);

#endif
