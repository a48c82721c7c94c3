/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements as jobs of fio's JSON+ (fio 3.x, --output-format=json+), for the programs that read
 * it: fio-plot, fio_jsonplus_clat2csv, dashboards.
 *
 * Latencies run from submission to completion, which fio calls "lat"; cupel does not split them, so
 * "clat_ns" is the same and "slat_ns" has no samples. As in fio, bins are named by their middle. A
 * value that is not known is 0, which fio itself writes where there is nothing.
 *
 * Everything belongs to the caller and is only read.
 */
#ifndef CUPEL_FIO_JSON_FIO_JSON_H
#define CUPEL_FIO_JSON_FIO_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "facts/operation.h"
#include "stat/basic/histogram.h"

/* fio's histograms have only the first of our buckets: all longer I/Os are counted in the last
   one. */
#define FIO_BUCKETS (29u * HISTOGRAM_SUBBUCKETS)

/* Samples of one quantity over time; n is 0 when there are no samples. */
struct fio_json_samples {
    double min, max, mean, sd;
    uint64_t n;
};

enum { FIO_JSON_OPS = OPERATIONS };

struct fio_json_op {
    uint64_t ios, bytes;
    double iops, bytes_rate;          /* per second; NaN: unknown */
    double seconds;                   /* duration of these I/Os */
    const struct histogram *latency;  /* NULL: there was no I/O */
    double latency_mean;              /* ns; NaN: unknown */
    struct fio_json_samples rate, kb; /* I/Os and KiB per second */
};

struct fio_json_option {
    const char *name;
    char value[256];
};

struct fio_json {
    const char *job;
    uint64_t end_ns;                       /* end of the measurement since 1970; 0: not known */
    double seconds;                        /* duration of the whole job */
    const struct fio_json_option *options; /* "job options"; those without a value are left out */
    size_t option_count;
    struct fio_json_op ops[FIO_JSON_OPS];
};

/* The text of a document before its jobs and after them, for those who join several. */
#define FIO_JSON_JOBS       "\"jobs\": ["
#define FIO_JSON_AFTER_JOBS "\n  ],\n  \"disk_util\""
#define FIO_JSON_GROUP      "\"groupid\": " /* the document's number follows: 0 */

/* Writes one document with at least one job, all of one group. Its time is the end of the job that
 * ended last. */
void fio_json_print(const struct fio_json jobs[], size_t count, struct text *out);

#endif
