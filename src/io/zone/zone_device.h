/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The zones of a block device, by the kernel's ioctls. */
#ifndef CUPEL_IO_ZONE_ZONE_DEVICE_H
#define CUPEL_IO_ZONE_ZONE_DEVICE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/zone/zones.h"

struct zone_device {
    int fd; /* of the block device; for resets open for writing */
    uint64_t zone_size;
    unsigned zone_count;
    unsigned open_max, active_max; /* of sysfs; 0: no limit */
};

/* ERR_MACHINE: it is not zoned, or its zones cannot be read. `fd` stays the caller's. */
int zone_device_open(struct zone_device *d, int fd, dev_t device, const char *path, struct err *e);

/* Zones [first, first + n) into to[]. ERR_TARGET. */
int zone_device_report(const struct zone_device *d, unsigned first, unsigned n, struct zone to[],
                       struct err *e);

/* Their context is a struct zone_device. */
extern const struct zone_ops zone_device_ops;

/* "implicitly open" */
const char *zone_condition_name(enum zone_condition condition);

#endif
