/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The I/O of a program or a device, as it was recorded, as plain data: src/program/observe fills
 * it, src/report prints it.
 *
 * There are two kinds of levels: the program's system calls on files and block devices, and the
 * requests that reached each device (requests of the block layer). Times are ns, sizes bytes; NaN:
 * there is no value.
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

const char *recording_op_name(enum recording_op op); /* read, write, flush, discard, all */

/* RECORDING_METRIC_LATENCY_P50 ...: the indices of the percentiles below. */
#define RECORDING_PERCENTILE(metric, share) RECORDING_##metric,
enum { PERCENTILE_ROWS(RECORDING_PERCENTILE) RECORDING_PERCENTILES };
#undef RECORDING_PERCENTILE

/* Whose I/O was recorded. */
enum recording_subject {
    RECORDING_PROGRAM,   /* a program that cupel started, with its children */
    RECORDING_PROCESSES, /* processes that ran already, with their children */
    RECORDING_CGROUP,    /* the processes of a control group */
    RECORDING_EVERYONE,  /* all processes */
    RECORDING_DEVICE,
    RECORDING_SUBJECTS
};

const char *recording_subject_name(enum recording_subject subject); /* program, process ... */

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
    double depth_mean;   /* I/Os in flight while busy */
    uint64_t depth_max;
    uint64_t merged;               /* devices: I/Os that were merged into a waiting request */
    uint64_t own_count, own_bytes; /* devices: I/Os that the program's own processes submitted */
};

struct recording_file {
    char name[256];
    uint64_t size; /* size of the file when it was last used */
    uint64_t count[RECORDING_FLUSH + 1], bytes[RECORDING_FLUSH + 1];
};

#define RECORDING_DEVICES_MAX 16
#define RECORDING_FILES_MAX   64

struct recording {
    struct result result; /* has the target, workload, notes, settings, series, and the rows of the
                             main level */
    enum recording_subject subject;
    bool interrupted;    /* a signal ended it */
    double seconds;      /* length of the recording; for a program from its start to its end */
    double rate_seconds; /* the time that rates are over: `seconds`, or NaN when too many events
                            were lost for any rate (recording_rates_known) */
    uint64_t processes;  /* number of processes that did I/O */
    struct recording_level calls;
    struct recording_level devices[RECORDING_DEVICES_MAX];
    size_t device_count;
    struct recording_file files[RECORDING_FILES_MAX]; /* sorted by bytes, the most first */
    size_t file_count;
    uint64_t files_more;   /* number of files for which there was no room above */
    uint64_t events, lost; /* events that were recorded, and events that were lost */
};

/* Rates are shown if at most this share of all events was lost, and RECORDING_LOST_FEW events more:
   at the begin and end of each recording there are a few that the kernel counts but does not
   report. */
#define RECORDING_LOST_SHARE_MAX 0.01
#define RECORDING_LOST_FEW       8

double recording_lost_share(const struct recording *a);
bool recording_rates_known(const struct recording *a);

/* Does it have system calls? Otherwise it is of one device. */
bool recording_has_calls(const struct recording *a);

/* The level that the report's first line is about. */
const struct recording_level *recording_main_level(const struct recording *a);

#endif
