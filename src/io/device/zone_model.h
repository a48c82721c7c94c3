/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Zoned block devices: drives with shingled tracks (SMR), and NVMe zoned namespaces (ZNS). A
 * sequential zone is written at its write pointer alone, and again only after a reset, which gives
 * up what it holds. On a host-managed device every other write fails. Any thread.
 */
#ifndef CUPEL_IO_DEVICE_ZONE_MODEL_H
#define CUPEL_IO_DEVICE_ZONE_MODEL_H

#include <sys/types.h>

enum zone_model {
    ZONES_NONE,
    ZONES_HOST_AWARE, /* writes that keep no rules succeed, and may be slow */
    ZONES_HOST_MANAGED,
};

/* Of a block device, or the disk that it is a partition of; sysfs is read below `root` ("" for this
   machine). A device that is not zoned, or not known, is ZONES_NONE. */
enum zone_model zone_model_of(const char *root, dev_t device);

#endif
