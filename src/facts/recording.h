/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The I/O of a program or a device, as it was recorded, as plain data: src/program/observe fills
 * it, src/report prints it.
 *
 * I/O is recorded at two levels: the program's system calls on files and block devices, and the
 * requests of the block layer that reached each device. Times are ns, sizes bytes; NaN: no value.
 */
#ifndef CUPEL_FACTS_RECORDING_H
#define CUPEL_FACTS_RECORDING_H

#include "facts/operation.h"
#include "facts/result.h"

#define RECORDING_CONFIDENCE 0.95 /* confidence of the intervals of percentiles */

enum recording_op {
    RECORDING_READ = OPERATION_READ,
    RECORDING_WRITE = OPERATION_WRITE,
    RECORDING_FLUSH = OPERATION_SYNC,
    RECORDING_DISCARD = OPERATION_TRIM,
    RECORDING_ALL = OPERATIONS,
    RECORDING_OPS
};

/* Returns "read", "write", "flush", "discard" or "all". */
const char *recording_op_name(enum recording_op op);

/* Indices into percentile_ns below: RECORDING_METRIC_LATENCY_P50, ... */
#define RECORDING_PERCENTILE(metric, share) RECORDING_##metric,
enum { PERCENTILE_ROWS(RECORDING_PERCENTILE) RECORDING_PERCENTILES };
#undef RECORDING_PERCENTILE

/* Whose I/O was recorded. */
enum recording_subject {
    RECORDING_PROGRAM,   /* a program that cupel started, and its children */
    RECORDING_PROCESSES, /* processes that were already running, and their children */
    RECORDING_CGROUP,    /* the processes of a control group */
    RECORDING_EVERYONE,  /* all processes */
    RECORDING_DEVICE,
    RECORDING_SUBJECTS
};

const char *recording_subject_name(enum recording_subject subject); /* "program", "process", ... */

struct recording_numbers {
    uint64_t count, failed;
    uint64_t bytes; /* bytes that were moved */
    double mean_ns, min_ns, max_ns;
    double percentile_ns[RECORDING_PERCENTILES]; /* in the order of PERCENTILE_ROWS */
};

struct recording_level {
    char name[80]; /* the device's name; "" for system calls */
    uint64_t size; /* the device's size; 0: unknown */
    struct recording_numbers op[RECORDING_OPS];
    double blocks;       /* number of requested blocks of 512 bytes, successful or not */
    double busy_seconds; /* time with at least one I/O in flight */
    double depth_mean;   /* mean number of I/Os in flight during busy_seconds */
    uint64_t depth_max;
    /* devices only: number of I/Os that were merged into a waiting request */
    uint64_t merged;
    /* devices only: I/Os that the recorded processes submitted themselves */
    uint64_t own_count, own_bytes;
};

struct recording_file {
    char name[256];
    uint64_t size; /* size of the file at its last use */
    uint64_t count[RECORDING_FLUSH + 1], bytes[RECORDING_FLUSH + 1];
};

#define RECORDING_DEVICES_MAX 16
#define RECORDING_FILES_MAX   64

struct recording {
    /* the target, workload, notes, settings, series, and the rows of the main level */
    struct result result;
    enum recording_subject subject;
    bool interrupted; /* a signal ended the recording */
    double seconds;   /* length of the recording; for a program, from its start to its end */
    /* divisor of rates: `seconds`, or NaN if too many events were lost (recording_rates_known) */
    double rate_seconds;
    uint64_t processes; /* number of processes that did I/O */
    struct recording_level calls;
    struct recording_level devices[RECORDING_DEVICES_MAX];
    size_t device_count;
    /* [file_count], the file with the most bytes first */
    struct recording_file files[RECORDING_FILES_MAX];
    size_t file_count;
    uint64_t files_more;   /* number of further files, which found no place in `files` */
    uint64_t events, lost; /* number of recorded events, and of lost events */
};

/* Rates are shown if at most this share of all events was lost, plus RECORDING_LOST_FEW events:
   at the beginning and end of each recording the kernel counts a few events that it does not
   report. */
#define RECORDING_LOST_SHARE_MAX 0.01
#define RECORDING_LOST_FEW       8

double recording_lost_share(const struct recording *a);
bool recording_rates_known(const struct recording *a);

/* Returns true if system calls were recorded; false for a recording of one device. */
bool recording_has_calls(const struct recording *a);

/* Returns the level whose figures the report's first line gives. */
const struct recording_level *recording_main_level(const struct recording *a);

#endif
