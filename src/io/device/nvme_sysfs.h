/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where sysfs has an NVMe namespace: its block device and its generic character device.
 *
 * Both lie in the folder of the same controller, or of the same subsystem when the kernel joins
 * several paths. Their numbers may differ there (nvme0n2 beside ng1n2: one counts subsystems, the
 * other controllers), the instance behind the "n" is the same. Nothing is kept; any thread.
 */
#ifndef CUPEL_IO_DEVICE_NVME_SYSFS_H
#define CUPEL_IO_DEVICE_NVME_SYSFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define NVME_NAME_BYTES 64

enum nvme_place_kind {
    NVME_PLACE_NAMESPACE,
    NVME_PLACE_PARTITION, /* of an NVMe namespace */
    NVME_PLACE_OTHER,     /* no NVMe namespace */
    NVME_PLACE_UNSEEN,    /* sysfs does not show the device at all */
};

struct nvme_place {
    char block[NVME_NAME_BYTES], generic[NVME_NAME_BYTES]; /* "nvme0n1", "ng0n1", or "" */
    dev_t block_device, generic_device;                    /* 0 where there is none */
    uint64_t transfer_max; /* bytes that the kernel takes for one command whose buffer lies in
                               pages of 4 KiB; 0: it does not say */
    bool poll_queues;      /* see poll_queues.h */
};

/* Find the namespace of a block device, or of a character device, below `root` ("" for this
   machine). Fills *place only for NVME_PLACE_NAMESPACE. */
enum nvme_place_kind nvme_place_of(const char *root, bool character, dev_t device,
                                   struct nvme_place *place);

/* The name of the subsystem of a folder in sysfs, "nvme"; "" when it has none. */
void sysfs_subsystem(const char *folder, char name[NVME_NAME_BYTES]);

/*
 * The block device that the generic device `device` (major:minor of /dev/ngXnY) shares its
 * namespace with, found in sysfs below `root` ("" for this machine). 0, or -1 with ERR_UNSAFE.
 */
int nvme_block_device_of(const char *root, dev_t device, dev_t *block, char name[64],
                         struct err *e);

#endif
