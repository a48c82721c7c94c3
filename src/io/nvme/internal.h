/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of nvme_uring.c that tests call directly. */
#ifndef CUPEL_IO_NVME_INTERNAL_H
#define CUPEL_IO_NVME_INTERNAL_H

#include "io/nvme/nvme_namespace.h"

/*
 * Returns the number of commands in flight for `iodepth` requests of `length` bytes. Returns 0 with
 * ERR_MACHINE if no ring can have that many entries, because fewer entries would mean a smaller
 * iodepth than requested.
 */
unsigned nvme_uring_commands(const struct nvme_namespace *n, unsigned iodepth, uint32_t length,
                             struct err *e);

/*
 * Returns true if a kernel of this release ("6.1.0-56-amd64") can poll for commands without
 * crashing. Until Linux 6.8 a command stored the data for polling in the same memory as its
 * completion function. A fix of 2025 for several rings on one queue, which was added to 6.1.y and
 * 6.6.y as well, uses both at the same time. With 6.1.192 this caused a general protection fault in
 * bio_poll.
 */
bool nvme_uring_may_poll(const char *release);

#endif
