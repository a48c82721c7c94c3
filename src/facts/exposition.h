/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is given to a monitoring system: I/Os of each operation as counters and histograms with few
 * buckets, and the figures of a result. Plain data; src/merge and src/cmd fill it, src/report
 * writes it.
 */
#ifndef CUPEL_FACTS_EXPOSITION_H
#define CUPEL_FACTS_EXPOSITION_H

#include <stddef.h>
#include <stdint.h>

#include "facts/followed.h"
#include "facts/result.h"

/*
 * Bounds of the buckets: 1.024 us, and from there 1.5 and 1.33 times as much in turns, 2^k and
 * 1.5 x 2^k ns, up to 34.4 s. Each is an edge of our own buckets, so that counts are exact.
 */
#define EXPOSED_BOUNDS 51
uint64_t exposed_bound_ns(size_t bound);

/* One operation, of a group or of all. Strings belong to whoever filled it. */
struct exposed_op {
    const char *op;    /* read, write, sync, trim */
    const char *group; /* a host's name; NULL: of all */
    uint64_t ios, bytes, errors;
    double latency_seconds;         /* the sum */
    uint64_t latencies;             /* in the histogram */
    uint64_t below[EXPOSED_BOUNDS]; /* of them, shorter than each bound */
};

struct exposition {
    const char *by; /* the label of groups: host, job_name, device, source; NULL: there are none */
    const struct exposed_op *ops;
    size_t op_count;
    const struct followed *followed; /* NULL: nothing is being followed */
    const struct labels *labels;     /* of --label; NULL: there are none */
    const struct result *result;     /* its rows and clauses; NULL: not at the end yet */
};

#endif
