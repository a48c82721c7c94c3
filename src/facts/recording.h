/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was recorded of a program's or a device's I/O, as plain data: src/observe fills it,
 * src/report prints it.
 *
 * There are levels: what the program asked the kernel for (system calls on files and block
 * devices), and what reached each device (requests of the block layer). Times are ns, sizes bytes;
 * NaN: there is no value.
 */
#ifndef CUPEL_FACTS_RECORDING_H
#define CUPEL_FACTS_RECORDING_H

#include "facts/result.h"

#define RECORDING_CONFIDENCE 0.95 /* of the intervals of percentiles */

enum recording_op {
    RECORDING_READ,
    RECORDING_WRITE,
    RECORDING_FLUSH,
    RECORDING_DISCARD,
    RECORDING_ALL,
    RECORDING_OPS
};

const char *recording_op_name(enum recording_op op); /* read, write, flush, discard, all */

/* RECORDING_METRIC_LATENCY_P50 ...: the places of the percentiles below. */
#define RECORDING_PERCENTILE(metric, share) RECORDING_##metric,
enum { PERCENTILE_ROWS(RECORDING_PERCENTILE) RECORDING_PERCENTILES };
#undef RECORDING_PERCENTILE

/* Whose I/O it is. */
enum recording_subject {
    RECORDING_PROGRAM,   /* that cupel started, with its children */
    RECORDING_PROCESSES, /* that ran already, with theirs */
    RECORDING_CGROUP,    /* the processes of a control group */
    RECORDING_EVERYONE,  /* all processes */
    RECORDING_DEVICE,
    RECORDING_SUBJECTS
};

const char *recording_subject_name(enum recording_subject subject); /* program, process ... */

struct recording_numbers {
    uint64_t count, failed;
    uint64_t bytes; /* that were moved */
    double mean_ns, min_ns, max_ns;
    double percentile_ns[RECORDING_PERCENTILES]; /* in the order of PERCENTILE_ROWS */
};

struct recording_level {
    char name[80]; /* of the device; "" of the calls */
    uint64_t size; /* of the device; 0: unknown */
    struct recording_numbers op[RECORDING_OPS];
    double blocks;       /* of 512 bytes, asked for, successful or not */
    double busy_seconds; /* with at least one I/O in flight */
    double depth_mean;   /* I/Os in flight while busy */
    uint64_t depth_max;
    uint64_t merged;               /* devices: taken into a request that waited already */
    uint64_t own_count, own_bytes; /* devices: handed in by the program's own processes */
};

struct recording_file {
    char name[256];
    uint64_t size; /* when it was last used */
    uint64_t count[RECORDING_FLUSH + 1], bytes[RECORDING_FLUSH + 1];
};

#define RECORDING_DEVICES_MAX 16
#define RECORDING_FILES_MAX   64

struct recording {
    struct result result; /* target, workload, notes, settings, series, rows of the main level */
    enum recording_subject subject;
    bool interrupted;    /* by a signal */
    double seconds;      /* of the recording; of a program from its start to its end */
    double rate_seconds; /* what rates are over: the same; NaN when too many events were lost for
                            any rate (recording_rates_known) */
    uint64_t processes;  /* that did I/O */
    struct recording_level calls;
    struct recording_level devices[RECORDING_DEVICES_MAX];
    size_t device_count;
    struct recording_file files[RECORDING_FILES_MAX]; /* the most bytes first */
    size_t file_count;
    uint64_t files_more;   /* files that found no room above */
    uint64_t events, lost; /* that were seen, and that nobody saw */
};

/* Rates that are too low by a percent are still rates; with more lost there are none. A few events
   more the kernel counts and does not report, as it begins and ends, however short the recording.
 */
#define RECORDING_LOST_SHARE_MAX 0.01
#define RECORDING_LOST_FEW       8

double recording_lost_share(const struct recording *a);
bool recording_rates_known(const struct recording *a);

/* Are there calls? Otherwise it is of one device. */
bool recording_has_calls(const struct recording *a);

/* The level that the first line is about. */
const struct recording_level *recording_main_level(const struct recording *a);

#endif
