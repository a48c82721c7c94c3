/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured, as jobs of fio's JSON+ (fio 3.x, --output-format=json+), for the programs
 * that read it: fio-plot, fio_jsonplus_clat2csv, dashboards.
 *
 * Latencies run from submission to completion, which fio calls "lat"; cupel does not part them, so
 * "clat_ns" is the same and "slat_ns" has no samples. Bins have the name of their middle, as fio's.
 * What is not known has the value that fio itself writes where there is nothing: 0.
 *
 * Everything belongs to the caller and is only read.
 */
#ifndef CUPEL_FORMAT_FIO_JSON_H
#define CUPEL_FORMAT_FIO_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "facts/operation.h"
#include "stat/basic/histogram.h"

/* fio's histograms have the first of our buckets, and no more: all longer I/Os are in the last. */
#define FIO_BUCKETS (29u * HISTOGRAM_SUBBUCKETS)

/* Samples of one quantity over time; n is 0 where there are none. */
struct fio_json_samples {
    double min, max, mean, sd;
    uint64_t n;
};

enum { FIO_JSON_OPS = OPERATIONS };

struct fio_json_op {
    uint64_t ios, bytes;
    double iops, bytes_rate;          /* a second; NaN: unknown */
    double seconds;                   /* that they are over */
    const struct histogram *latency;  /* NULL: there was no I/O */
    double latency_mean;              /* ns; NaN: unknown */
    struct fio_json_samples rate, kb; /* I/Os and KiB a second */
};

struct fio_json_option {
    const char *name;
    char value[256];
};

struct fio_json {
    const char *job;
    uint64_t end_ns;                       /* of the measurement; since 1970 unless 0 */
    double seconds;                        /* of it all */
    const struct fio_json_option *options; /* "job options"; those without a value are left out */
    size_t option_count;
    struct fio_json_op ops[FIO_JSON_OPS];
};

/* One document. The instant is that of the last of the jobs, which are one at least. */
void fio_json_print(const struct fio_json jobs[], size_t count, struct text *out);

#endif
