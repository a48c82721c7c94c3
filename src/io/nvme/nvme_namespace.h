/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An NVMe namespace that commands can be sent to without the kernel's block layer (passthrough).
 *
 * Everything that a backend must know before its first command comes from Identify, and every
 * length is checked here and in nvme_io.h against it: the kernel takes a buffer that is shorter
 * than the blocks asked for, and the controller would write past it.
 *
 * A struct nvme_namespace is filled by nvme_namespace_open, then only read, by any thread. Owner of
 * the descriptors: nvme_namespace_close; `block_fd` stays the target's.
 */
#ifndef CUPEL_IO_NVME_NVME_NAMESPACE_H
#define CUPEL_IO_NVME_NVME_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "nvme/nvme.h"

/* The volatile one. */
enum nvme_write_cache { NVME_CACHE_UNKNOWN, NVME_CACHE_ABSENT, NVME_CACHE_OFF, NVME_CACHE_ON };

/* What blocks that are deallocated read as. */
enum nvme_deallocated { NVME_DEALLOCATED_UNKNOWN, NVME_DEALLOCATED_ZEROS, NVME_DEALLOCATED_ONES };

struct nvme_namespace {
    bool is_nvme;      /* the target is a whole NVMe namespace, permitted or not */
    bool usable;       /* commands may be sent; else `why_not` says why they may not */
    char why_not[200]; /* "passthrough is not permitted (CAP_SYS_ADMIN)" */
    bool writable;     /* writes may be built. Who opened the target for writing sets it: the kernel
                          takes writes of root through a descriptor that is read-only */

    int generic_fd; /* /dev/ngXnY, for nvme-uring and, without a block device, for nvme; or -1 */
    int block_fd;   /* the target's block device, or -1 */
    char generic_path[64];
    dev_t block_device; /* of the namespace; 0 when the kernel shows none */

    uint32_t nsid;
    uint64_t blocks;        /* NSZE */
    uint32_t block_size;    /* data bytes of one LBA */
    uint32_t metadata_size; /* bytes beside each LBA; they are moved unless `protection` */
    bool metadata_extended; /* they follow the data in one buffer (FLBAS bit 4) */
    uint8_t protection;     /* type of protection information, 0: none. With 8 bytes of metadata the
                               controller makes and strips it (PRACT) */
    uint32_t transfer_max;  /* bytes of one command: MDTS and the kernel's own limits, whichever is
                                smaller, a multiple of block_size */
    uint64_t mdts;          /* bytes; 0: no limit of the controller */
    enum nvme_write_cache write_cache;
    bool deallocates; /* the controller has Dataset Management (ONCS), which trims are sent by */
    bool writes_zeroes, writes_uncorrectable, verifies; /* ... and these commands */
    bool thin_provisioned;
    enum nvme_deallocated deallocated;
    uint64_t atomic_write; /* bytes of a write that a power failure leaves whole or undone */
    bool poll_queues;      /* the kernel has queues that are polled (io/device/block_device.h) */
    char description[200]; /* "namespace 1, LBA 512 B, at most 512 KiB per command, volatile write
                              cache on" */
};

/*
 * Look at what `fd` is: a block device or a generic character device. Never fails: what is no
 * whole NVMe namespace has is_nvme false (a partition has it too: its first LBA is not 0, and a
 * command that bypasses the block layer would reach another partition); one that cannot be used has
 * usable false.
 */
void nvme_namespace_open(struct nvme_namespace *n, int fd);

/*
 * The part of it that asks the device: fills all that Identify and Get Features report, `usable`
 * included. n->nsid and, in n->transfer_max, the kernel's limit in bytes (0: it is not known) are
 * there before. -1 with the reason in why_not.
 */
int nvme_namespace_identify(struct nvme_namespace *n, const struct nvme_admin *admin);

/*
 * 0 when commands may be sent to it. ERR_USAGE with what it is when it is no whole NVMe namespace
 * (`n` may be NULL), ERR_MACHINE with the reason when it is one that cannot be used.
 */
int nvme_namespace_check(const struct nvme_namespace *n, struct err *e);

/* "thin provisioned; deallocated blocks read as zeros; ...". Writes to `to` (160 bytes hold it),
   returns it. */
char *nvme_namespace_features(const struct nvme_namespace *n, char *to, size_t size);

void nvme_namespace_close(struct nvme_namespace *n);

/* A namespace of nothing: no descriptors to close. */
#define NVME_NAMESPACE_NONE                                                                        \
    (struct nvme_namespace)                                                                        \
    {                                                                                              \
        .generic_fd = -1, .block_fd = -1                                                           \
    }

#endif
