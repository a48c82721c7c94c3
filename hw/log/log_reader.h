/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's log while something is measured: /dev/kmsg from its end on (Linux,
 * Documentation/ABI/testing/dev-kmsg), without waiting and without writing.
 *
 * When a line was logged. Its own stamp is of the kernel's local clock, which is near to
 * CLOCK_MONOTONIC, is not disciplined, and has an origin of its own. So it is not converted by a
 * formula: a line that a reading finds was logged after the last reading that found none, and not
 * after this one. Each line so bounds the difference between both clocks, which may drift by 500
 * ppm; what all lines so far allow is the line's time, and half of that width its uncertainty.
 *
 * One thread at a time. Nothing is allocated; a reading takes in no more than LOG_READ_MAX lines,
 * so that a flood cannot hold its caller up.
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

/* The names by which the kernel's lines call the parts of a target: "nvme0", "0000:01:00.0",
   "ata3", "2:0:0:0". */
struct log_names {
    char names[LOG_NAMES_MAX][48];
    size_t count;
};

/* The parts of a path, and what stands above their disks in /sys. */
void log_names_of_path(struct log_names *to, const struct sysroot *root, const struct inventory *v,
                       const struct data_path *path);
/* A block device, or the one that a file's st_dev names. */
void log_names_of_device(struct log_names *to, const struct sysroot *root, dev_t device);

struct log_reader {
    int fd; /* -1: it is not read */
    struct log_names names;
    double empty_seconds; /* all that was logged before has been read */
    double from, to;      /* the session's seconds less the line's stamp lie between these, ... */
    double compared_seconds; /* ... as known then */
    uint64_t next_number;    /* of the next line; 0: not known */
    bool in_line;            /* what the buffer begins with belongs to a line that was too long */
    size_t used;
    char buffer[8192]; /* whole lines, and the begin of one */
};

/* Lines from now on. log->state says whether it is read. `seconds`: since the session began. */
void log_reader_open(struct log_reader *r, const struct sysroot *root, double seconds,
                     struct kernel_log *log);
/*
 * What has come since. `changed`, unless it is NULL, is called with the place of each line that was
 * added or has one more alike.
 */
void log_reader_take(struct log_reader *r, double seconds, struct kernel_log *log,
                     void (*changed)(void *context, size_t place), void *context);
void log_reader_close(struct log_reader *r);

#endif
