/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices of the inventory, by their number. */
#ifndef CUPEL_HW_DISK_BLOCK_H
#define CUPEL_HW_DISK_BLOCK_H

#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* The node of the block device with this number (/sys/dev/block/MAJ:MIN), after the block prober
   has run. INVENTORY_NONE when there is no such device, or it was left out. */
int block_node(const struct sysroot *root, const struct inventory *v, dev_t device);

#endif
