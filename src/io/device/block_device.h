/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel reports about a block device: the alignment of direct I/O, whether its
 * completions can be polled, whether it is a host-managed zoned device, and to which NVMe namespace
 * it belongs. Nothing is stored, so any thread may call these functions. A function with a `root`
 * reads the sysfs below that folder: "" for this machine.
 */
#ifndef CUPEL_IO_DEVICE_BLOCK_DEVICE_H
#define CUPEL_IO_DEVICE_BLOCK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Both read the first line of FOLDER/NAME; sysfs_number returns the number in it. If there is no
   such file, sysfs_line returns false and sets `line` to "", and sysfs_number returns 0. */
bool sysfs_line(const char *folder, const char *name, char *line, size_t size);
uint64_t sysfs_number(const char *folder, const char *name);

/*
 * Returns the alignment in bytes that O_DIRECT requires for offsets and lengths in an open regular
 * file or block device; 0 when the file is known not to support O_DIRECT. If the kernel does not
 * report it (before Linux 6.1), it is the alignment of the device that the file lies on, or else
 * 4096.
 */
uint32_t direct_block_size(int fd);

/*
 * Finds the sizes of the smallest and the largest write that the file or block device does
 * completely or not at all (RWF_ATOMIC). The powers of two between these sizes are possible as
 * well. ERR_MACHINE: the kernel, the filesystem or the device has no such writes.
 */
int atomic_write_sizes(int fd, uint32_t *least, uint32_t *most, struct err *e);

/*
 * Returns true if the kernel has polled queues for the device, or for the disk of which it is a
 * partition: queue/io_poll says so. Where several paths are joined to one NVMe namespace, the queue
 * of every path must say so, because for the namespace itself io_poll is only a flag. An NVMe
 * driver whose parameter poll_queues is 0 has no polled queues, no matter what io_poll says.
 * Without polled queues a polled ring works too, by interrupts.
 */
bool device_has_poll_queues(const char *root, dev_t device);

/* Returns the bytes of the largest request that the kernel sends to the device, or to its disk,
   without splitting it, no matter where the pages of its buffer lie. Returns 0 if this is not
   known. */
uint64_t device_piece_bytes(const char *root, dev_t device);

/*
 * Returns true if the device, or the disk of which it is a partition, is zoned (shingled tracks,
 * NVMe ZNS) and host-managed: on such a device every write that is not at a zone's write pointer
 * fails. Returns false if this is not known.
 */
bool device_is_host_managed(const char *root, dev_t device);

/* Returns true if the kernel sends discards to the device, or to the disk of which it is a
   partition. *granularity becomes the size in bytes of the units that the device discards as a
   whole; 0: not known. */
bool device_discards(const char *root, dev_t device, uint64_t *granularity);

/* Returns true if the device has queues of requests (blk-mq). A device without them (zram, device
   mapper, md) takes each bio as it comes, and some of these devices refuse requests that may not
   wait. */
bool device_has_request_queues(const char *root, dev_t device);

/* ---- NVMe namespaces ---- */

/*
 * A namespace has a block device and a generic character device. Both lie in the folder of the same
 * controller, or of the same subsystem when the kernel joins several paths. The first numbers in
 * their names may differ (nvme0n2 and ng1n2), because the first counts subsystems and the second
 * controllers; the instance after the "n" is the same.
 */
#define NVME_NAME_BYTES 64

enum nvme_place_kind {
    NVME_PLACE_NAMESPACE,
    NVME_PLACE_PARTITION, /* a partition of an NVMe namespace */
    NVME_PLACE_OTHER,     /* not an NVMe namespace */
    NVME_PLACE_UNSEEN,    /* sysfs does not show the device at all */
};

struct nvme_place {
    char block[NVME_NAME_BYTES], generic[NVME_NAME_BYTES]; /* "nvme0n1", "ng0n1", or "" */
    /* device numbers; 0 if there is no such device */
    dev_t block_device, generic_device;
    /* bytes of the largest command that the kernel accepts if the buffer consists of 4 KiB pages;
       0: the kernel does not report it */
    uint64_t transfer_max;
    bool poll_queues; /* the block device has polled queues, see device_has_poll_queues */
};

/* Finds the namespace of a block device, or of a character device. Fills *place only for
   NVME_PLACE_NAMESPACE. */
enum nvme_place_kind nvme_place_of(const char *root, bool character, dev_t device,
                                   struct nvme_place *place);

/* Finds the block device of the namespace to which the generic device `device` (major:minor of
   /dev/ngXnY) belongs. Returns 0, or -1 with ERR_UNSAFE if there is none. */
int nvme_block_device_of(const char *root, dev_t device, dev_t *block, char name[64],
                         struct err *e);

#endif
