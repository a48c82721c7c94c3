/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Percentiles with their intervals, by test inversion.
 *
 * The interval holds every threshold v that the data do not contradict: v is too high when fewer
 * values lie above it than a binomial distribution allows that has the percentile's share and as
 * many trials as the values are worth *at v* (exceedance.h), and too low when too many do. For
 * independent values the ends are order statistics of the ranks l = max{k: F(k-1) <= a/2} and u =
 * min{k: F(k-1) >= 1-a/2}, F the cdf of Binomial(n, p). An interval needs a minimum n (two-sided 95
 * %: 72 for p95, 368 for p99, 3,688 for p99.9).
 *
 * Three rules keep the interval honest where a run is too short:
 *   - Where fewer than 5 values lie beyond v, clusters cannot be seen; v is taken for as clustered
 *     as the last threshold that has 5.
 *   - A level that wanders makes the tail wander more than a short run shows. So the upper end is
 *     also tested with the relative spread over time of the percentile itself and of the threshold
 *     that ten times as many values exceed. When that test accepts every threshold, the upper end
 *     is the longest value seen.
 *   - One late stall says nothing about how often stalls come. When it alone would bring the upper
 *     end above ten times the percentile, its values are left out (and counted in `left_out`); if
 *     there are more of them than half of those beyond the percentile, there is no interval.
 * Under long memory (long_memory.h) the values are worth as few at v as the series of the shares
 * above v says. Where the median shows it, or the caller says so (`remembers`), memory that is
 * merely plausible at v counts, too, and the ends of a higher percentile lie at least as far away
 * as those of the median, as a factor: few values lie in the tail, and show little of what moves
 * all of them.
 * Pure, any thread. The measured coverage is in tests/unit/test_percentile_coverage.c.
 */
#ifndef CUPEL_STAT_ESTIMATE_PERCENTILE_H
#define CUPEL_STAT_ESTIMATE_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stat/basic/histogram.h"

/* Why there is no interval. */
enum percentile_lack {
    PERCENTILE_LACKS_NOTHING,
    PERCENTILE_LACKS_SAMPLES,   /* too few independent values beyond the percentile */
    PERCENTILE_LACKS_STRETCHES, /* the level wanders: too few independent stretches of time */
    PERCENTILE_LACKS_STALLS,    /* one stall alone decides it */
};

struct percentile {
    double share;     /* 0.99 */
    double value;     /* value of the nearest rank; NaN only when there are no values */
    double low, high; /* the interval; NaN when it does not exist */
    double confidence;
    double n;           /* number of values */
    double effective_n; /* number of independent values that n is worth at this percentile */
    enum percentile_lack lack;
    double more;     /* how many times as many values the interval is expected to need; 1: it
                        exists */
    double left_out; /* number of values, all of one late stall, that the upper end leaves out */
};

/*
 * Computes the ranks (1-based, whole) of the interval's ends among floor(n) values. False: there is
 * no interval. Exact up to n = 1e9; at 1e12 within a thousandth of the rank's standard deviation.
 */
bool percentile_ranks(double n, double share, double confidence, double *lower, double *upper);

/* Returns the smallest n for which the two-sided (or upper one-sided) interval exists. */
double percentile_min_n(double share, double confidence, bool two_sided);

/*
 * Values in ascending cells, none of them empty: a histogram's buckets, or single values. The run
 * is divided into intervals, in order of time.
 */
struct percentile_cells {
    size_t cells;
    const double *low, *high; /* [cells] the smallest and largest value that a cell can hold */
    const double *count;      /* [cells] */
    size_t intervals;
    /* Fill count[i], the values of interval i, and above[i], those in cells above `cell`. */
    void (*counts)(const void *source, size_t cell, double above[], double count[]);
    const void *source;
    bool remembers; /* a longer series of these values has long memory */
};

/* Scratch bytes that percentile_of_cells and percentile_of_intervals take. */
size_t percentile_scratch_bytes(size_t intervals);

struct percentile percentile_of_cells(const struct percentile_cells *x, double share,
                                      double confidence, struct arena *scratch);

/* The input of percentile_of_intervals: histograms. */
struct percentile_intervals {
    const struct histogram *total; /* all intervals together */
    size_t intervals;
    /* Fill count[i], the values of interval i, and above[i], those surely above ns
     * (histogram_above). */
    void (*counts)(const void *source, double ns, double above[], double count[]);
    const void *source;
    bool remembers; /* a longer series of these values has long memory */
};

/*
 * The percentile of histograms. An end of its interval lies inside its bucket (1.56 % wide) where
 * the buckets around it show that values are spread evenly there; else it is the bucket's outer
 * edge, which keeps the coverage for any spread inside.
 */
struct percentile percentile_of_intervals(const struct percentile_intervals *x, double share,
                                          double confidence, struct arena *scratch);

/*
 * Why there is no interval and how much longer it is expected to take, in words: "no interval yet:
 * too few independent samples; about 40 s more". `length` is the length of the measurement so far,
 * in `unit` ("s", "values"). Empty when there is an interval and nothing was left out of it.
 */
void percentile_words(const struct percentile *p, double length, const char *unit, char words[],
                      size_t size);

#endif
