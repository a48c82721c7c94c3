/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was recorded of a program's or a device's I/O, as plain data: src/observe fills it,
 * src/report prints it.
 *
 * There are levels: what the program asked the kernel for (system calls on files and block
 * devices), and what reached each device (requests of the block layer). Times are ns, sizes bytes;
 * NaN: there is no value.
 */
#ifndef CUPEL_FACTS_APPLICATION_H
#define CUPEL_FACTS_APPLICATION_H

#include "facts/result.h"

enum application_op {
    APPLICATION_READ,
    APPLICATION_WRITE,
    APPLICATION_FLUSH,
    APPLICATION_DISCARD,
    APPLICATION_ALL,
    APPLICATION_OPS
};

const char *application_op_name(enum application_op op); /* read, write, flush, discard, all */

/* APPLICATION_METRIC_LATENCY_P50 ...: the places of the percentiles below. */
#define APPLICATION_PERCENTILE(metric, share) APPLICATION_##metric,
enum { PERCENTILE_ROWS(APPLICATION_PERCENTILE) APPLICATION_PERCENTILES };
#undef APPLICATION_PERCENTILE

struct application_numbers {
    uint64_t count, failed;
    uint64_t bytes; /* that were moved */
    double mean_ns, min_ns, max_ns;
    double percentile_ns[APPLICATION_PERCENTILES]; /* in the order of PERCENTILE_ROWS */
};

struct application_level {
    char name[80]; /* of the device; "" of the calls */
    uint64_t size; /* of the device; 0: unknown */
    struct application_numbers op[APPLICATION_OPS];
    double blocks;       /* of 512 bytes, asked for, successful or not */
    double busy_seconds; /* with at least one I/O in flight */
    double depth_mean;   /* I/Os in flight while busy */
    uint64_t depth_max;
    uint64_t merged;               /* devices: taken into a request that waited already */
    uint64_t own_count, own_bytes; /* devices: handed in by the program's own processes */
};

struct application_file {
    char name[256];
    uint64_t size; /* when it was last used */
    uint64_t count[APPLICATION_FLUSH + 1], bytes[APPLICATION_FLUSH + 1];
};

#define APPLICATION_DEVICES_MAX 16
#define APPLICATION_FILES_MAX   64

struct application {
    struct result result; /* target, workload, notes, settings, series, rows of the main level */
    bool of_program;      /* there are calls; otherwise it is of one device */
    bool interrupted;     /* by a signal before the program ended */
    double seconds;       /* from the program's start to its end, or of the recording */
    double rate_seconds;  /* what rates are over: the same; NaN when too many events were lost for
                             any rate (application_rates_known) */
    uint64_t processes;   /* that did I/O */
    struct application_level calls;
    struct application_level devices[APPLICATION_DEVICES_MAX];
    size_t device_count;
    struct application_file files[APPLICATION_FILES_MAX]; /* the most bytes first */
    size_t file_count;
    uint64_t files_more;   /* files that found no room above */
    uint64_t events, lost; /* that were seen, and that nobody saw */
};

/* Rates that are too low by a percent are still rates; with more lost there are none. A few events
   more the kernel counts and does not report, as it begins and ends, however short the recording.
 */
#define APPLICATION_LOST_SHARE_MAX 0.01
#define APPLICATION_LOST_FEW       8

double application_lost_share(const struct application *a);
bool application_rates_known(const struct application *a);

/* The level that the first line is about. */
const struct application_level *application_main_level(const struct application *a);

#endif
