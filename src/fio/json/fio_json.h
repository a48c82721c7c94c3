/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes measurements as jobs of fio's JSON+ (fio 3.x, --output-format=json+), for programs that
 * read this format: fio-plot, fio_jsonplus_clat2csv, dashboards.
 *
 * Latencies are from submission to completion, which fio calls "lat". cupel does not split them, so
 * "clat_ns" is the same and "slat_ns" has no samples. As in fio, the name of a bin is its middle.
 * An unknown value is 0, as fio writes it.
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

/* Number of buckets in fio's histograms, which are the first buckets of cupel's histograms; fio
   counts all longer I/Os in the last one. */
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
    double seconds;                   /* duration of the time in which the I/Os were done */
    const struct histogram *latency;  /* latencies; NULL: there were no I/Os */
    double latency_mean;              /* ns; NaN: unknown */
    struct fio_json_samples rate, kb; /* samples of I/Os and of KiB per second */
};

struct fio_json_option {
    const char *name;
    char value[256];
};

struct fio_json {
    const char *job;
    uint64_t end_ns; /* end of the measurement, ns since 1970; 0: not known */
    double seconds;  /* duration of the whole job */
    /* entries of "job options"; options without a value are left out */
    const struct fio_json_option *options;
    size_t option_count;
    struct fio_json_op ops[FIO_JSON_OPS];
};

/* The text of a document before and after its jobs, for programs that join several documents. */
#define FIO_JSON_JOBS       "\"jobs\": ["
#define FIO_JSON_AFTER_JOBS "\n  ],\n  \"disk_util\""
#define FIO_JSON_GROUP      "\"groupid\": " /* followed by the number of the group: 0 */

/* Writes one document with at least one job; all jobs are one group. The document's time is the end
   of the job that ended last. */
void fio_json_print(const struct fio_json jobs[], size_t count, struct text *out);

#endif
