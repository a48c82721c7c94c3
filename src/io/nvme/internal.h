/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of nvme_uring.c that are tested alone. */
#ifndef CUPEL_IO_NVME_INTERNAL_H
#define CUPEL_IO_NVME_INTERNAL_H

#include "io/nvme/nvme_namespace.h"

/*
 * Commands that `iodepth` requests of `length` bytes are in flight together. ERR_MACHINE, and 0,
 * when no ring has that many entries: fewer would not be the iodepth that was asked for.
 */
unsigned nvme_uring_commands(const struct nvme_namespace *n, unsigned iodepth, uint32_t length,
                             struct err *e);

/*
 * Do kernels of this release ("6.1.0-56-amd64") poll for commands without crashing? Until Linux 6.8
 * a command kept what it is polled by where the function of its completion is put; since a fix of
 * 2025 for several rings on one queue, which is in 6.1.y and 6.6.y as well, both are in use at the
 * same time. Seen with 6.1.192: a general protection fault in bio_poll.
 */
bool nvme_uring_may_poll(const char *release);

#endif
