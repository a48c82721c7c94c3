/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the kernel have queues for a block device whose completions are found by polling? Without
 * them, a ring that polls works too, by interrupts. Nothing is kept; any thread.
 */
#ifndef CUPEL_IO_DEVICE_POLL_QUEUES_H
#define CUPEL_IO_DEVICE_POLL_QUEUES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * True when the device, or the disk it is a partition of, has such queues: its queue/io_poll says
 * so, and where several paths are joined to one NVMe namespace that of every path, for there its
 * own is only a flag. An NVMe driver whose parameter poll_queues is 0 has made none, whatever a
 * queue says. Looked up below `root` ("" for this machine).
 */
bool device_has_poll_queues(const char *root, dev_t device);

#endif
