/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An I/O that spans several periods counts in each by the fraction of its duration in it (Cronburg,
 * England, Percentiles). The histograms have the duration of an I/O and the period in which it
 * completed, but not the instant: all instants of the period are taken as equally likely, and the
 * fractions are expected values.
 */
#include <math.h>

#include "run/result/internal.h"

/* I/Os shorter than this share of a period count only in the period in which they completed. */
#define SHORT_SHARE 0.01

/* Returns the expected part of a duration of `life` ns that is more than `before` ns before the
   period of `length` ns in which it ends. */
static double expected_before(double life, double before, double length)
{
    double rest = life - before;
    if (rest <= 0)
        return 0;
    return rest < length ? rest * rest / (2 * length) : rest - length / 2;
}

/* Returns the fraction of a duration that is in the period `back` periods before the one in which
   it ends. */
static double fraction_of(double life, uint64_t back, double length)
{
    double at = (double)back * length;
    if (life < SHORT_SHARE * length)
        return back ? 0 : 1;
    double later = back ? expected_before(life, at - length, length) : life;
    return (later - expected_before(life, at, length)) / life;
}

/* Adds I/Os that completed `back` periods later, by their fractions in this period. */
static void add_fractions(struct latency_weights *w, const struct interval_histogram *from,
                          uint64_t back, double length)
{
    const double least = back ? fmax((double)(back - 1) * length, SHORT_SHARE * length) : 0;
    for (size_t i = histogram_bucket((uint64_t)least); i <= HISTOGRAM_BUCKETS; i++) {
        uint64_t count = i < HISTOGRAM_BUCKETS ? from->count[i] : from->over;
        if (!count)
            continue;
        double longest = i < HISTOGRAM_BUCKETS ? fmin(histogram_edge(i + 1) - 1, (double)from->max)
                                               : (double)from->max;
        double shortest = fmax(histogram_edge(i), (double)from->min);
        double fraction = fraction_of((shortest + longest) / 2, back, length);
        if (!(fraction > 0))
            continue;
        w->count[i] += fraction * (double)count;
        w->total += fraction * (double)count;
        w->min = fmin(w->min, shortest);
        w->max = fmax(w->max, longest);
    }
}

void latency_weights_of(struct latency_weights *w, const struct latency_history *h, int op,
                        size_t first, uint64_t number)
{
    const double length = (double)h->length_ns;
    *w = (struct latency_weights){.min = INFINITY};
    for (size_t i = first; i < h->count; i++) {
        const struct interval_histogram *from = h->periods[i].latency[op];
        uint64_t back = h->periods[i].number - number;
        if (back && (number + 1) * h->length_ns <= h->periods[i].since_ns)
            continue; /* I/O in flight at that time belongs to another round */
        if (from->min == UINT64_MAX || (back && (double)from->max <= (double)(back - 1) * length))
            continue;
        add_fractions(w, from, back, length);
    }
}

/* Finds the bucket in which the cumulative weight reaches `share` of the total, and the position
   within it. */
static size_t bucket_of_share(const struct latency_weights *w, double share, double *within)
{
    double target = share * w->total * (1 - 1e-12), before = 0;
    size_t last = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        if (!(w->count[i] > 0))
            continue;
        last = i;
        if (before + w->count[i] >= target)
            break;
        before += w->count[i];
    }
    *within = fmax(0, fmin(1, (target - before) / w->count[last]));
    return last;
}

void latency_weights_bounds(const struct latency_weights *w, double share, double *least,
                            double *greatest)
{
    double unused;
    size_t bucket = bucket_of_share(w, share, &unused);
    *least = fmax(histogram_edge(bucket), w->min);
    *greatest = bucket < HISTOGRAM_BUCKETS ? fmin(histogram_edge(bucket + 1) - 1, w->max) : w->max;
}

double latency_weights_quantile(const struct latency_weights *w, double share)
{
    double within, least, greatest;
    bucket_of_share(w, share, &within);
    latency_weights_bounds(w, share, &least, &greatest);
    return least + (greatest - least) * within;
}
