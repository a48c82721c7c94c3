/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Percentiles with their intervals, by test inversion.
 *
 * The interval holds every threshold v that the data do not contradict. v is too high when fewer
 * values lie above it than a binomial distribution allows, with the percentile's share and as many
 * trials as the values are worth *at v* (exceedance.h); it is too low when too many lie above it.
 * For independent values the ends are order statistics of the ranks l = max{k: F(k-1) <= a/2} and
 * u = min{k: F(k-1) >= 1-a/2}, F the cdf of Binomial(n, p). An interval needs a minimum n
 * (two-sided 95 %: 72 for p95, 368 for p99, 3,688 for p99.9).
 *
 * Three rules keep the interval honest where a run is too short:
 *   - Where fewer than 5 values lie beyond v, clusters cannot be seen; v counts as clustered as the
 *     last threshold that has 5.
 *   - A level that moves over time makes the tail move more than a short run shows. So the upper
 *     end is also tested with the relative variation over time of the percentile itself and of the
 *     threshold that ten times as many values exceed. When that test accepts every threshold, the
 *     upper end is the longest value seen.
 *   - One late stall says nothing about how often stalls come. When it alone would bring the upper
 *     end above ten times the percentile, its values are left out (and counted in `left_out`); if
 *     they are more than half of the values beyond the percentile, there is no interval.
 * Under long memory (long_memory.h) the values are worth few independent ones at v; how few follows
 * from the series of the shares above v. If the median shows memory, or the caller says so
 * (`remembers`), memory that is merely plausible at v counts, too. The ends of a higher percentile
 * are then at least as far from it, as a factor, as those of the median from the median: few values
 * lie in the tail, and show little of what moves all of them. Pure, any thread. The measured
 * coverage is in tests/unit/test_percentile_coverage.c.
 */
#ifndef CUPEL_STAT_ESTIMATE_PERCENTILE_H
#define CUPEL_STAT_ESTIMATE_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stat/basic/histogram.h"

/* Reasons why there is no interval. */
enum percentile_lack {
    PERCENTILE_LACKS_NOTHING,
    PERCENTILE_LACKS_SAMPLES, /* too few independent values beyond the percentile */
    /* too few independent time slices, because the level moves over time */
    PERCENTILE_LACKS_STRETCHES,
    PERCENTILE_LACKS_STALLS, /* a single stall determines the percentile */
};

struct percentile {
    double share;     /* such as 0.99 */
    double value;     /* value of the nearest rank; NaN only when there are no values */
    double low, high; /* confidence interval; NaN when it does not exist */
    double confidence;
    double n; /* number of values */
    /* number of independent values that would show this percentile equally well */
    double effective_n;
    enum percentile_lack lack;
    /* factor by which the number of values is expected to have to grow until there is an interval;
       1: there is one */
    double more;
    double left_out; /* number of values of one late stall that the upper end does not count */
};

/*
 * Computes the ranks (1-based, whole) of the interval's ends among floor(n) values. Returns false
 * if there is no interval. Exact up to n = 1e9; at 1e12 within a thousandth of the rank's standard
 * deviation.
 */
bool percentile_ranks(double n, double share, double confidence, double *lower, double *upper);

/* Returns the smallest n for which the two-sided (or upper one-sided) interval exists. */
double percentile_min_n(double share, double confidence, bool two_sided);

/*
 * Values sorted into cells, which are in ascending order and not empty: the buckets of a histogram,
 * or single values. The run is divided into intervals, in order of time.
 */
struct percentile_cells {
    size_t cells;
    const double *low, *high; /* [cells], smallest and largest value of each cell */
    const double *count;      /* [cells] */
    size_t intervals;
    /* Sets count[i] to the number of values in interval i, and above[i] to the number of those in
       cells above `cell`. */
    void (*counts)(const void *source, size_t cell, double above[], double count[]);
    const void *source;
    bool remembers; /* the caller knows from a longer series that these values have long memory */
};

/* Scratch bytes that percentile_of_cells and percentile_of_intervals need. */
size_t percentile_scratch_bytes(size_t intervals);

struct percentile percentile_of_cells(const struct percentile_cells *x, double share,
                                      double confidence, struct arena *scratch);

/* The input of percentile_of_intervals: histograms of consecutive intervals. */
struct percentile_intervals {
    const struct histogram *total; /* sum of the histograms of all intervals */
    size_t intervals;
    /* Sets count[i] to the number of values in interval i, and above[i] to the number of values
       that are certainly above `ns` (histogram_above). */
    void (*counts)(const void *source, double ns, double above[], double count[]);
    const void *source;
    bool remembers; /* the caller knows from a longer series that these values have long memory */
};

/*
 * Computes a percentile of histograms. An end of its interval lies inside a bucket (1.56 % wide)
 * where the neighbouring buckets show that values are spread evenly there. Otherwise it is the
 * bucket's outer edge, which keeps the coverage for any spread inside.
 */
struct percentile percentile_of_intervals(const struct percentile_intervals *x, double share,
                                          double confidence, struct arena *scratch);

/*
 * Writes why there is no interval, and how much longer the measurement is expected to take until
 * there is one: "no interval yet: too few independent samples; about 40 s more". `length` is the
 * length of the measurement so far, in `unit` ("s", "values"). The text is empty when there is an
 * interval and nothing was left out of it.
 */
void percentile_words(const struct percentile *p, double length, const char *unit, char words[],
                      size_t size);

#endif
