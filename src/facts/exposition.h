/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data for a monitoring system: I/Os of each operation as counters and histograms with few buckets,
 * and the figures of a result. Plain data; src/many/merge and src/cmd fill it, src/report writes
 * it.
 */
#ifndef CUPEL_FACTS_EXPOSITION_H
#define CUPEL_FACTS_EXPOSITION_H

#include <stddef.h>
#include <stdint.h>

#include "facts/followed.h"
#include "facts/result.h"

/*
 * Bounds of the buckets: 2^k and 1.5 x 2^k ns in turns, from 1.024 us up to 34.4 s. Each bound is
 * an edge of our own buckets, so the counts are exact.
 */
#define EXPOSED_BOUNDS 51
uint64_t exposed_bound_ns(size_t bound);

/* One operation of a group or of all groups. Strings belong to the code that filled it. */
struct exposed_op {
    const char *op;    /* read, write, sync, trim */
    const char *group; /* a host's name; NULL: the sum of all groups */
    uint64_t ios, bytes, errors;
    double latency_seconds;         /* sum of the latencies */
    uint64_t latencies;             /* number of latencies in the histogram */
    uint64_t below[EXPOSED_BOUNDS]; /* number of latencies shorter than each bound */
};

struct exposition {
    const char *by; /* the label that names groups: host, job_name, device, source; NULL: there are
                       no groups */
    const struct exposed_op *ops;
    size_t op_count;
    const struct followed *followed; /* NULL: nothing is being followed */
    const struct labels *labels;     /* labels of --label; NULL: there are none */
    const struct result *result;     /* for its rows and clauses; NULL: the end is not reached */
};

#endif
