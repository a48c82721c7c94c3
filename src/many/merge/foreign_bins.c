/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spreads the I/Os of another tool's histogram bins evenly over cupel's buckets. */
#include "many/merge/internal.h"

#include <math.h>

#include "stat/basic/histogram.h"

void bins_begin(struct merge *m)
{
    *m->bins = (struct open_buckets){.min = UINT64_MAX};
}

static void bins_bounds(struct open_buckets *bins, uint64_t low, uint64_t high)
{
    bins->min = low < bins->min ? low : bins->min;
    bins->max = high > bins->max ? high : bins->max;
}

void bins_add_bucket(struct merge *m, size_t bucket, uint64_t count)
{
    if (!count)
        return;
    m->bins->n += count;
    if (bucket >= HISTOGRAM_BUCKETS)
        m->bins->over += count;
    else
        m->bins->count[bucket] += count;
    bins_bounds(m->bins,
                (uint64_t)histogram_edge(bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS),
                bucket < HISTOGRAM_BUCKETS ? (uint64_t)histogram_edge(bucket + 1) - 1
                                           : (uint64_t)histogram_edge(HISTOGRAM_BUCKETS));
}

void bins_add(struct merge *m, uint64_t low_ns, uint64_t high_ns, uint64_t count)
{
    size_t bucket = histogram_bucket(low_ns);
    const double width = (double)(high_ns > low_ns ? high_ns - low_ns : 1);
    uint64_t given = 0;
    if (bucket >= HISTOGRAM_BUCKETS || high_ns <= low_ns) {
        bins_add_bucket(m, bucket, count);
        return;
    }
    for (; given < count; bucket++) {
        double edge = bucket < HISTOGRAM_BUCKETS ? histogram_edge(bucket + 1) : INFINITY;
        double part = fmin(1, (edge - (double)low_ns) / width);
        uint64_t until = (uint64_t)llround(part * (double)count);
        until = until > count || part >= 1 ? count : until;
        bins_add_bucket(m, bucket, until > given ? until - given : 0);
        given = until > given ? until : given;
    }
}

struct latency_buckets bins_end(struct merge *m)
{
    struct latency_buckets to = {.n = m->bins->n,
                                 .min = m->bins->min,
                                 .max = m->bins->max,
                                 .over = m->bins->over,
                                 .bucket = m->bins_bucket,
                                 .count = m->bins_count};
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (m->bins->count[i]) {
            m->bins_bucket[to.used] = (uint16_t)i;
            m->bins_count[to.used++] = m->bins->count[i];
        }
    return to;
}
