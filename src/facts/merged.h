/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the result of many sources has in addition to its rows (struct result): the sources, the
 * figures of each host, job or device, and what averages of percentiles would have shown. Plain
 * data; src/many/merge fills it, src/report prints it. NaN: not known.
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

/* All measurements of one host, job, operation or device. */
struct result_group {
    char name[128];
    uint64_t sources;
    uint64_t n, bytes, errors; /* completed I/Os, the bytes that they moved, and failed I/Os */
    /* time span of the group; begin_seconds counts from the start of the first source */
    double begin_seconds, seconds;
    double io_rate, byte_rate; /* per second, over the group's time span */
    double mean_ns;            /* mean latency in ns */
    /* ns, all operations together, in the order of PERCENTILE_ROWS */
    double percentile[MERGED_PERCENTILES];
    double max;
    double clock_error_ns; /* upper bound of the error of the group's clock */
    /* "": complete; or a problem: "failed: ...", "cut short", "late" */
    char state[64];
    struct result_period *periods; /* [period_count], if intervals of groups were requested */
    size_t period_count;
    /* how the group differs from the others: "p99 4.1 times their median"; "": it does not */
    char outlier[160];
};

/* A percentile of the whole system, and the average of the groups' percentiles (weighted by their
   I/Os), which is shown beside it because the two differ. */
struct result_average {
    enum metric_id metric;
    double system, average; /* ns */
};

/* The time with I/O in flight in at least one source. Its interval covers the errors of the clocks,
   and gaps within a source whose times were not recorded. */
struct result_busy {
    double seconds, low, high;
    /* blocks of 512 bytes per second of busy time */
    double block_rate, block_rate_low, block_rate_high;
};

struct result_merged {
    /* `clocks`: number of different clocks; 0: not known for all sources */
    uint64_t sources, hosts, clocks;
    double interval_seconds;
    double clock_error_ns;              /* the largest of all hosts */
    char begin[40], end[40];            /* ISO 8601; "": the sources have no time of day */
    bool groups_asked, intervals_asked; /* the result includes rows of groups, or of intervals */
    /* what groups are: "host", "job", "op", "device", or the key of a label */
    const char *by;
    bool of_ops; /* the groups are operations */
    const struct result_group *groups;
    size_t group_count;
    /* the groups whose percentiles are averaged: as `by`, but never "op" */
    const char *averages_of;
    struct result_average averages[MERGED_PERCENTILES]; /* NaN: the percentile has no value */
    struct result_busy busy;
    /* Intervals in which sources measured but no I/O was in flight. Only if intervals were
       requested. */
    struct result_period *silent;
    size_t silent_count;
};

#endif
