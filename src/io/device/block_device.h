/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel says about a block device: the alignment of direct I/O, whether its completions
 * can be polled for, whether it has zones with rules, and the NVMe namespace that it shows. Nothing
 * is kept; any thread. Where there is a `root`, sysfs is read below it: "" for this machine.
 */
#ifndef CUPEL_IO_DEVICE_BLOCK_DEVICE_H
#define CUPEL_IO_DEVICE_BLOCK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* The first line of FOLDER/NAME, and the number in it: false and "", and 0, when there is none. */
bool sysfs_line(const char *folder, const char *name, char *line, size_t size);
uint64_t sysfs_number(const char *folder, const char *name);

/*
 * The alignment that O_DIRECT asks of offsets and lengths of an open regular file or block device,
 * in bytes; 0 when the file is known not to do O_DIRECT. Where the kernel does not say (before
 * Linux 6.1), that of the device it lies on, or else 4096.
 */
uint32_t direct_block_size(int fd);

/*
 * Sizes of the writes that the file or block device does whole or not at all (RWF_ATOMIC): powers
 * of two between the two. ERR_MACHINE: the kernel, the filesystem or the device has none.
 */
int atomic_write_sizes(int fd, uint32_t *least, uint32_t *most, struct err *e);

/*
 * Does the kernel have queues for the device, or the disk it is a partition of, whose completions
 * are found by polling? Its queue/io_poll says so, and where several paths are joined to one NVMe
 * namespace that of every path, for there its own is only a flag. An NVMe driver whose parameter
 * poll_queues is 0 has made none, whatever a queue says. Without such queues a ring that polls
 * works too, by interrupts.
 */
bool device_has_poll_queues(const char *root, dev_t device);

/* Bytes of the largest request that the kernel sends the device, or its disk, in one piece, out of
   a buffer whose pages lie anywhere. 0: not known. */
uint64_t device_piece_bytes(const char *root, dev_t device);

/*
 * Is it, or the disk that it is a partition of, zoned (shingled tracks, NVMe ZNS) and host-managed?
 * Every write that is not at a zone's write pointer fails there. False where it is not known.
 */
bool device_is_host_managed(const char *root, dev_t device);

/* Does the kernel send it, or the disk that it is a partition of, discards? *granularity: offsets
   and lengths are multiples of it, or the rest stays; 0: not known. */
bool device_discards(const char *root, dev_t device, uint64_t *granularity);

/* Has it queues of requests (blk-mq)? What has none takes each bio as it comes, as compressed
   memory, device mapper and md do, and of these some refuse what may not wait. */
bool device_has_request_queues(const char *root, dev_t device);

/* ---- NVMe namespaces ---- */

/*
 * A namespace has a block device and a generic character device. Both lie in the folder of the same
 * controller, or of the same subsystem when the kernel joins several paths. Their numbers may
 * differ there (nvme0n2 beside ng1n2: one counts subsystems, the other controllers), the instance
 * after the "n" is the same.
 */
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
    bool poll_queues;      /* of the block device, see above */
};

/* Find the namespace of a block device, or of a character device. Fills *place only for
   NVME_PLACE_NAMESPACE. */
enum nvme_place_kind nvme_place_of(const char *root, bool character, dev_t device,
                                   struct nvme_place *place);

/* The block device that the generic device `device` (major:minor of /dev/ngXnY) shares its
   namespace with. 0, or -1 with ERR_UNSAFE. */
int nvme_block_device_of(const char *root, dev_t device, dev_t *block, char name[64],
                         struct err *e);

#endif
