/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the kernel's log during a measurement: /dev/kmsg from its end on (Linux,
 * Documentation/ABI/testing/dev-kmsg), without waiting and without writing.
 *
 * The time of a line: its stamp is from the kernel's local clock, which is close to
 * CLOCK_MONOTONIC, is not disciplined, and has its own origin, so no formula converts it. A line
 * that a reading finds was logged after the last reading that found none, and before this one. So
 * each line limits the difference between both clocks, which may drift by 500 ppm. The middle of
 * the range that all lines so far allow gives the line's time, and half its width the uncertainty.
 *
 * One thread at a time. Nothing is allocated; a reading takes at most LOG_READ_MAX lines, so that a
 * flood of lines cannot block its caller.
 */
#ifndef CUPEL_HW_LOG_LOG_READER_H
#define CUPEL_HW_LOG_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "facts/log/kernel_log.h"
#include "hw/path/data_path.h"
#include "hw/sysroot/sysroot.h"

#define LOG_READ_MAX  1000
#define LOG_NAMES_MAX 64

/* The names that kernel lines use for the parts of a target: "nvme0", "0000:01:00.0", "ata3",
   "2:0:0:0". */
struct log_names {
    char names[LOG_NAMES_MAX][48];
    size_t count;
};

/* Adds the names of a path's parts, and of everything above their disks in /sys. */
void log_names_of_path(struct log_names *to, const struct sysroot *root, const struct inventory *v,
                       const struct data_path *path);
/* Adds the names for a block device, or for the device of a file (st_dev). */
void log_names_of_device(struct log_names *to, const struct sysroot *root, dev_t device);

struct log_reader {
    int fd; /* descriptor of the log; -1: the log is not read */
    struct log_names names;
    /* everything that was logged before this time has been read, in seconds of the session */
    double empty_seconds;
    /* bounds of a line's time, in seconds of the session, minus the line's stamp */
    double from, to;
    double compared_seconds; /* time of the last comparison of both clocks */
    uint64_t next_number;    /* number of the next line; 0: not known */
    bool in_line;            /* the buffer begins in the middle of a line that was too long */
    size_t used;
    char buffer[8192]; /* whole lines, and the beginning of another one */
};

/* Opens the log for lines from now on. log->state shows whether it is read, or why not. `seconds`:
   time since the session began. */
void log_reader_open(struct log_reader *r, const struct sysroot *root, double seconds,
                     struct kernel_log *log);
/*
 * Reads the lines since the last call. `changed`, unless it is NULL, is called with the index of
 * each line that was added, or to which one more similar line was counted.
 */
void log_reader_take(struct log_reader *r, double seconds, struct kernel_log *log,
                     void (*changed)(void *context, size_t place), void *context);
void log_reader_close(struct log_reader *r);

#endif
