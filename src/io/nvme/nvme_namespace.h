/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An NVMe namespace that commands can be sent to without the kernel's block layer (passthrough).
 *
 * Identify gives everything that a backend must know before its first command. Every length is
 * checked against it, here and in nvme_io.h: the kernel accepts a buffer that is shorter than the
 * requested blocks, and the controller would write beyond its end.
 *
 * A struct nvme_namespace is filled by nvme_namespace_open and then only read, by any thread.
 * nvme_namespace_close closes its descriptors, except `block_fd`, which stays the target's.
 */
#ifndef CUPEL_IO_NVME_NVME_NAMESPACE_H
#define CUPEL_IO_NVME_NVME_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/nvme/nvme.h"

/* State of the volatile write cache. */
enum nvme_write_cache { NVME_CACHE_UNKNOWN, NVME_CACHE_ABSENT, NVME_CACHE_OFF, NVME_CACHE_ON };

/* What reads of deallocated blocks return. */
enum nvme_deallocated { NVME_DEALLOCATED_UNKNOWN, NVME_DEALLOCATED_ZEROS, NVME_DEALLOCATED_ONES };

struct nvme_namespace {
    bool is_nvme;      /* the target is a whole NVMe namespace, permitted or not */
    bool usable;       /* commands may be sent; if not, `why_not` gives the reason */
    char why_not[200]; /* "passthrough is not permitted (CAP_SYS_ADMIN)" */
    bool writable;     /* writes may be built. The code that opened the target for writing sets
                          it, because the kernel takes root's writes even through a read-only
                          descriptor */

    int generic_fd; /* /dev/ngXnY, for nvme-uring and, without a block device, for nvme; or -1 */
    int block_fd;   /* the target's block device, or -1 */
    char generic_path[64];
    dev_t block_device; /* the namespace's block device; 0 when the kernel shows none */

    uint32_t nsid;
    uint64_t blocks;        /* NSZE */
    uint32_t block_size;    /* data bytes of one LBA */
    uint32_t metadata_size; /* bytes beside each LBA; they are moved unless `protection` is set */
    bool metadata_extended; /* they follow the data in the same buffer (FLBAS bit 4) */
    uint8_t protection;     /* type of protection information, 0: none. With 8 bytes of metadata the
                               controller makes and strips it (PRACT) */
    uint32_t transfer_max;  /* the most bytes of one command: the smaller one of MDTS and the
                               kernel's own limit, as a multiple of block_size */
    uint64_t mdts;          /* bytes; 0: the controller sets no limit */
    enum nvme_write_cache write_cache;
    uint16_t optional; /* ONCS: the optional commands that it has (tables/nvme_io_commands.h) */
    bool thin_provisioned;
    enum nvme_deallocated deallocated;
    uint64_t atomic_write; /* the most bytes of a write that a power failure leaves as a whole or
                              undone */
    bool poll_queues;      /* the kernel has queues that are polled (io/device/block_device.h) */
    char description[200]; /* "namespace 1, LBA 512 B, at most 512 KiB per command, volatile write
                              cache on" */
};

/*
 * Find out what `fd` is: a block device or a generic character device. This never fails: is_nvme is
 * false for anything but a whole NVMe namespace, and usable is false for one that cannot be used. A
 * partition has is_nvme false: its first LBA is not 0, and a command that bypasses the block layer
 * would reach another partition.
 */
void nvme_namespace_open(struct nvme_namespace *n, int fd);

/*
 * Ask the device: fills everything that Identify and Get Features report, `usable` included. The
 * caller has set n->nsid and, in n->transfer_max, the kernel's limit in bytes (0: not known). -1
 * with the reason in why_not.
 */
int nvme_namespace_identify(struct nvme_namespace *n, const struct nvme_admin *admin);

/*
 * 0 when commands may be sent to it. ERR_USAGE when it is not a whole NVMe namespace (the message
 * says what it is; `n` may be NULL); ERR_MACHINE with the reason when it is one that cannot be
 * used.
 */
int nvme_namespace_check(const struct nvme_namespace *n, struct err *e);

/* The namespace's features: "thin provisioned; deallocated blocks read as zeros; ...". Writes to
   `to` (160 bytes hold it), returns it. */
char *nvme_namespace_features(const struct nvme_namespace *n, char *to, size_t size);

void nvme_namespace_close(struct nvme_namespace *n);

/* An empty namespace, which has no descriptors to close. */
#define NVME_NAMESPACE_NONE                                                                        \
    (struct nvme_namespace)                                                                        \
    {                                                                                              \
        .generic_fd = -1, .block_fd = -1                                                           \
    }

#endif
