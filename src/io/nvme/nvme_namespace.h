/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An NVMe namespace to which commands can be sent without the kernel's block layer (passthrough).
 *
 * Identify returns everything that a backend must know before its first command. Every length is
 * checked against it, here and in nvme_io.h: the kernel accepts a buffer that is shorter than the
 * requested blocks, and the controller would write beyond its end.
 *
 * A struct nvme_namespace is filled by nvme_namespace_open and then only read, by any thread.
 * nvme_namespace_close closes its descriptors, except `block_fd`, which the target owns.
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
    /* the target is a whole NVMe namespace, whether commands are permitted or not */
    bool is_nvme;
    bool usable;       /* commands may be sent; if not, `why_not` gives the reason */
    char why_not[200]; /* such as "passthrough is not permitted (CAP_SYS_ADMIN)" */
    /* nvme_build may build writes. The code that opened the target for writing sets this, because
       the kernel accepts root's writes even on a read-only descriptor. */
    bool writable;

    /* /dev/ngXnY, for nvme-uring, and for nvme if there is no block device; or -1 */
    int generic_fd;
    int block_fd; /* the target's block device, or -1 */
    char generic_path[64];
    dev_t block_device; /* the namespace's block device; 0 when the kernel shows none */

    uint32_t nsid;
    uint64_t blocks;        /* NSZE */
    uint32_t block_size;    /* data bytes of one LBA */
    uint32_t metadata_size; /* metadata bytes of each LBA; moved unless `protection` is set */
    bool metadata_extended; /* the metadata follow the data in the same buffer (FLBAS bit 4) */
    /* type of protection information; 0: none. With 8 bytes of metadata the controller adds and
       strips it (PRACT). */
    uint8_t protection;
    /* bytes of the largest command: the smaller of MDTS and the kernel's limit, as a multiple of
       block_size */
    uint32_t transfer_max;
    uint64_t mdts; /* the controller's limit in bytes; 0: the controller sets none */
    enum nvme_write_cache write_cache;
    /* ONCS: bits of the optional commands that the controller supports
       (tables/nvme_io_commands.h) */
    uint16_t optional;
    bool thin_provisioned;
    enum nvme_deallocated deallocated;
    /* bytes of the largest write that after a power failure is either completely on the medium or
       not at all */
    uint64_t atomic_write;
    /* the kernel has polled queues for the namespace (io/device/block_device.h) */
    bool poll_queues;
    /* such as "namespace 1, LBA 512 B, at most 512 KiB per command, volatile write cache on" */
    char description[200];
};

/*
 * Finds out whether `fd` is a block device or a generic character device of a namespace. This never
 * fails: is_nvme is false for anything but a whole NVMe namespace, and usable is false for a
 * namespace that cannot be used. is_nvme is false for a partition, too: its first LBA is not 0, and
 * a command that bypasses the block layer would reach another partition.
 */
void nvme_namespace_open(struct nvme_namespace *n, int fd);

/*
 * Asks the device: fills everything that Identify and Get Features report, including `usable`. The
 * caller has set n->nsid and, in n->transfer_max, the kernel's limit in bytes (0: not known).
 * Returns -1 with the reason in why_not.
 */
int nvme_namespace_identify(struct nvme_namespace *n, const struct nvme_admin *admin);

/*
 * Returns 0 when commands may be sent to the namespace. Otherwise -1. ERR_USAGE: `n`, which may be
 * NULL, is not a whole NVMe namespace; the message says what it is. ERR_MACHINE: the namespace
 * cannot be used; the message gives the reason.
 */
int nvme_namespace_check(const struct nvme_namespace *n, struct err *e);

/* Writes the namespace's features to `to`, of which 160 bytes suffice: "thin provisioned;
   deallocated blocks read as zeros; ...". Returns `to`. */
char *nvme_namespace_features(const struct nvme_namespace *n, char *to, size_t size);

void nvme_namespace_close(struct nvme_namespace *n);

/* An empty namespace: no descriptor is open. */
#define NVME_NAMESPACE_NONE                                                                        \
    (struct nvme_namespace)                                                                        \
    {                                                                                              \
        .generic_fd = -1, .block_fd = -1                                                           \
    }

#endif
