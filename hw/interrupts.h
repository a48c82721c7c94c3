/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processor cores serve the interrupts of a data path's devices. */
#ifndef CUPEL_HW_INTERRUPTS_H
#define CUPEL_HW_INTERRUPTS_H

#include <stddef.h>

#include "hw/data_path.h"

/*
 * Out of /proc/interrupts, by the names that drivers give ("nvme0q3", "virtio2-req.0",
 * "eth0-TxRx-1", "ahci[0000:00:17.0]"), and each interrupt's effective affinity. Fills at most
 * `most` cores, each once; those that had most interrupts so far come first. Returns how many.
 */
size_t interrupts_cores(const struct sysroot *root, const struct inventory *v,
                        const struct data_path *path, int cores[], size_t most);

#endif
