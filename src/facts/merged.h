/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts that the result of many sources has beside its rows (struct result): which sources
 * there are, the figures of each host, job or device, and what averages of percentiles would have
 * shown. Plain data; src/many/merge fills it, src/report prints it. NaN: not known.
 */
#ifndef CUPEL_FACTS_MERGED_H
#define CUPEL_FACTS_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/result.h"
#include "tables/metrics.h"

#define MERGED_PERCENTILE(metric, share) MERGED_##metric,
enum { PERCENTILE_ROWS(MERGED_PERCENTILE) MERGED_PERCENTILES };
#undef MERGED_PERCENTILE

/* All measurements of a host, job, operation or device. */
struct result_group {
    char name[128];
    uint64_t sources;
    uint64_t n, bytes, errors;     /* completed I/Os, the bytes that they moved, and failed I/Os */
    double begin_seconds, seconds; /* its own time span, since the first source began */
    double io_rate, byte_rate;     /* over its own time span */
    double mean_ns;                /* mean latency in ns */
    double percentile[MERGED_PERCENTILES]; /* ns, over all operations, in order of
                                              PERCENTILE_ROWS */
    double max;
    double clock_error_ns;         /* bound of its clock's error */
    char state[64];                /* "", or a problem: "failed: ...", "cut short", "late" */
    struct result_period *periods; /* if intervals of groups were requested */
    size_t period_count;
    char outlier[160]; /* how it differs from the others: "p99 4.1 times their median"; "" */
};

/* The average of the groups' percentiles, weighted by their I/Os, beside the percentile of the
   whole system. */
struct result_average {
    enum metric_id metric;
    double system, average; /* ns */
};

/* The time with I/O in flight, the union over all sources. The interval comes from the clocks'
   errors and from gaps that were not recorded one by one. */
struct result_busy {
    double seconds, low, high;
    double block_rate, block_rate_low, block_rate_high; /* blocks of 512 bytes over the busy time */
};

struct result_merged {
    uint64_t sources, hosts, clocks; /* clocks: number of different ones; 0 when not known for all
                                        sources */
    double interval_seconds;
    double clock_error_ns;              /* the largest one of all hosts */
    char begin[40], end[40];            /* ISO dates; "" where sources have no time of day */
    bool groups_asked, intervals_asked; /* rows of groups, or of intervals, are part of the
                                           result */
    const char *by;                     /* what the groups are: host, job, op, device, or a label's
                                           key */
    bool of_ops;                        /* the groups are operations */
    const struct result_group *groups;
    size_t group_count;
    const char *averages_of;                            /* like `by`, but never operations */
    struct result_average averages[MERGED_PERCENTILES]; /* NaN for a percentile without a value */
    struct result_busy busy;
    /* Intervals in which sources measured and no I/O was in flight; only if intervals were
       requested. */
    struct result_period *silent;
    size_t silent_count;
};

#endif
