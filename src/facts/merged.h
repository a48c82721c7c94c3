/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the result of many sources has beside its rows (struct result): which sources they are, what
 * each host, job or device had, and what averages of percentiles would have said. Plain data;
 * src/merge fills it, src/report prints it. NaN: not known.
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

/* A host, job, operation or device: everything that it measured. */
struct result_group {
    char name[128];
    uint64_t sources;
    uint64_t n, bytes, errors;     /* I/Os that completed, what they moved, those that failed */
    double begin_seconds, seconds; /* of its own time, since the first source began */
    double io_rate, byte_rate;     /* over its own time */
    double mean_ns;                /* mean, ns */
    double percentile[MERGED_PERCENTILES]; /* ns, of all operations, in order of PERCENTILE_ROWS */
    double max;
    double clock_error_ns;         /* bound of its clock's error */
    char state[64];                /* "", or what was wrong: "failed: ...", "cut short", "late" */
    struct result_period *periods; /* where intervals of groups were asked for */
    size_t period_count;
    char outlier[160]; /* how it differs from the others: "p99 4.1 times their median"; "" */
};

/* The average of the groups' percentiles, weighted by their I/Os, beside the system's. */
struct result_average {
    enum metric_id metric;
    double system, average; /* ns */
};

/* Time with I/O in flight, the union over all sources. The interval is what the clocks may be off,
   and what gaps that were not recorded one by one leave open. */
struct result_busy {
    double seconds, low, high;
    double block_rate, block_rate_low, block_rate_high; /* blocks of 512 bytes over it */
};

struct result_merged {
    uint64_t sources, hosts, clocks; /* clocks: 0 when not known of all sources */
    double interval_seconds;
    double clock_error_ns;              /* the largest of all hosts */
    char begin[40], end[40];            /* ISO, "" where sources have no time of day */
    bool groups_asked, intervals_asked; /* rows of each stand among the others */
    const char *by;                     /* what groups are: host, job, op, device, a label's key */
    bool of_ops;                        /* operations */
    const struct result_group *groups;
    size_t group_count;
    const char *averages_of;                            /* as `by`, but not operations */
    struct result_average averages[MERGED_PERCENTILES]; /* NaN where there is none */
    struct result_busy busy;
    /* Intervals in which sources measured and no I/O was under way; where intervals were asked for.
     */
    struct result_period *silent;
    size_t silent_count;
};

#endif
