/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the two halves of the nvme-uring backend share: nvme_uring_setup.c makes the ring,
 * nvme_uring.c runs it. A request is one command or, above what one command may move, several: its
 * parts, which are in flight together and complete it when the last one is done.
 */
#ifndef CUPEL_IO_NVME_URING_STATE_H
#define CUPEL_IO_NVME_URING_STATE_H

#include "io/nvme_namespace.h"
#include "io/ring.h"

/* Commands in flight at most, when requests have several parts. More wait until others are done. */
#define NVME_URING_COMMANDS 1024

/* The parts of the request in a slot. */
struct nvme_uring_slot {
    unsigned count, queued, done;
    unsigned failed_part; /* the first one that failed */
    int error;            /* its errno, or 0 */
};

struct nvme_uring {
    struct ring ring; /* first: what the functions of ring.h find in b->state */
    const struct nvme_namespace *nvme;
    struct io_statuses *statuses;
    bool wrote;

    struct nvme_uring_slot *slots;
    unsigned most_parts;    /* of a request */
    unsigned most_commands; /* in flight */
    uint16_t *waiting; /* slots with parts that are not queued yet, in order: iodepth, a circle */
    unsigned first_waiting, waiting_count;

    unsigned char *metadata; /* of slot i at i * metadata_stride; NULL when none is moved */
    size_t metadata_stride;
};

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
