/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/io/nvme share. */
#ifndef CUPEL_IO_NVME_INTERNAL_H
#define CUPEL_IO_NVME_INTERNAL_H

#include "io/nvme/nvme_namespace.h"
#include "io/ring/ring.h"

/* ---- nvme_uring_state ---- */

/*
 * What the two halves of the nvme-uring backend share: nvme_uring_setup.c makes the ring,
 * nvme_uring.c runs it. A request is one command or, above what one command may move, several: its
 * parts, which are in flight together and complete it when the last one is done.
 */

/* The most entries that the kernel gives a ring. */
#define NVME_URING_COMMANDS_MAX 32768

/* The parts of the request in a slot. */
struct nvme_uring_slot {
    unsigned count, done;
    unsigned failed_part; /* the first one that failed */
    int error;            /* its errno, or 0 */
};

struct nvme_uring {
    struct ring ring; /* first: what the functions of ring.h find in b->state */
    const struct nvme_namespace *nvme;
    struct io_statuses *statuses;
    bool wrote;

    struct nvme_uring_slot *slots;
    unsigned max_parts; /* of a request */
    unsigned commands;  /* in flight at most: those of iodepth requests */

    /* What reads bring, of slot i at i * metadata_stride; and zeros for all writes, which never
       send what was read of another LBA. NULL when no metadata is moved. */
    unsigned char *metadata, *metadata_zero;
    size_t metadata_stride;
};

/*
 * Commands that `iodepth` requests of `length` bytes are in flight together. ERR_MACHINE, and 0,
 * when no ring has that many entries: fewer would not be the iodepth that was asked for.
 */
unsigned nvme_uring_commands(const struct nvme_namespace *n, unsigned iodepth, uint32_t length,
                             struct err *e);

/* Make the ring, find out by a read what this kernel takes, and say in b->description what is in
   use. ERR_MACHINE when it takes no commands, or not from us. */
int nvme_uring_setup(struct nvme_uring *u, struct io_backend *b, struct err *e);

/*
 * Do kernels of this release ("6.1.0-56-amd64") poll for commands without crashing? Until Linux 6.8
 * a command kept what it is polled by where the function of its completion is put; since a fix of
 * 2025 for several rings on one queue, which is in 6.1.y and 6.6.y as well, both are in use at the
 * same time. Seen with 6.1.192: a general protection fault in bio_poll.
 */
bool nvme_uring_may_poll(const char *release);

#endif
