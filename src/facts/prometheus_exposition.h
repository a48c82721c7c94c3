/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data for a monitoring system: for each operation, counters of I/Os and a histogram with few
 * buckets, and the figures of a result. Plain data; src/many/merge and src/cmd fill it, src/report
 * writes it.
 */
#ifndef CUPEL_FACTS_PROMETHEUS_EXPOSITION_H
#define CUPEL_FACTS_PROMETHEUS_EXPOSITION_H

#include <stddef.h>
#include <stdint.h>

#include "facts/followed.h"
#include "facts/result.h"

/*
 * Upper bounds of the exposed buckets: 2^k and 1.5 x 2^k ns alternately, from 1.024 us up to 34.4
 * s. Each bound is also an edge of cupel's finer buckets, so the counts are exact.
 */
#define EXPOSED_BOUNDS 51
uint64_t exposed_bound_ns(size_t bound);

/* The I/Os of one operation, in one group or in all groups. Strings belong to the code that filled
   it. */
struct exposed_op {
    const char *op;    /* read, write, sync, trim */
    const char *group; /* name of the group, such as a host; NULL: the sum of all groups */
    uint64_t ios, bytes, errors;
    double latency_seconds;         /* sum of the latencies */
    uint64_t latencies;             /* number of I/Os in the histogram */
    uint64_t below[EXPOSED_BOUNDS]; /* number of latencies below each bound */
};

struct exposition {
    /* label by which I/Os are grouped: host, job_name, device, source; NULL: no groups */
    const char *by;
    const struct exposed_op *ops;
    size_t op_count;
    const struct followed *followed; /* NULL: nothing is being followed */
    const struct labels *labels;     /* labels that the user gave by --label; NULL: none */
    const struct result *result;     /* source of rows and clauses; NULL: the run has not ended */
};

#endif
