/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The devices of a recording, whole ones: what is seen of a partition belongs to its disk. */
#ifndef CUPEL_RUN_APPLICATION_DEVICES_H
#define CUPEL_RUN_APPLICATION_DEVICES_H

#include "base/err.h"
#include "run/application_level.h"

#define DEVICE_NUMBERS_MAX 64

struct device {
    char name[80];
    uint64_t size;  /* bytes; 0: unknown */
    uint64_t begin; /* bytes: offsets count from here, the start of the partition that was named */
    uint16_t trace; /* its number in the trace, or FILES_NO_TRACE */
    struct level *level;
};

struct devices {
    struct device rows[APPLICATION_DEVICES_MAX];
    size_t count;
    struct level *levels; /* APPLICATION_DEVICES_MAX, the caller's */
    struct {
        uint32_t number; /* as the kernel's events have it: major << 20 | minor */
        int row;         /* -1: of no interest */
    } numbers[DEVICE_NUMBERS_MAX];
    size_t number_count;
    bool closed;     /* no further devices are taken in */
    uint64_t others; /* requests of devices that found no row */
};

/* The row of a device or partition, made when it is new; -1: there is no room, or `closed`. */
int recorded_device(struct devices *d, uint32_t number);

/* The size that /sys tells; 0: unknown. */
uint64_t device_bytes(uint32_t number);

/* What /sys tells about a block device that was named for recording. */
struct device_named {
    uint32_t disk;       /* its own number, or that of the disk it is a partition of */
    uint64_t begin, end; /* sectors of it on that disk */
    bool has_requests;   /* it has a queue of requests; otherwise (md, zram) only bios pass it */
};

/* ERR_USAGE: the path is no block device. ERR_MACHINE: /sys does not tell. */
int device_look_up(const char *path, struct device_named *named, struct err *e);

#endif
