/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices of the inventory by their number, and the kinds of disks. */
#ifndef CUPEL_HW_DISK_BLOCK_H
#define CUPEL_HW_DISK_BLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* Returns the node of the block device with this number (/sys/dev/block/MAJ:MIN). Call it after the
   block prober has run. INVENTORY_NONE when there is no such device, or it was left out. */
int block_node(const struct sysroot *root, const struct inventory *v, dev_t device);

/*
 * Kinds of disks: the buses and transports by which they are attached (the facts `bus` and
 * `transport`), and volumes made of other devices. Expectations use these names.
 */
enum disk_trait {
    DISK_OF_NETWORK = 1, /* the disk is not a drive of this machine */
    /* attached through a bridge to another protocol, or a card reader that may have no card */
    DISK_BEHIND_BRIDGE = 2,
    DISK_HAS_HEALTH = 4, /* every disk of this kind reports its health */
};

struct disk_kind {
    const char *name;
    /* start of the name of a folder above such a disk in /sys/devices, before its number; or
       NULL */
    const char *folder;
    unsigned traits;
};

extern const struct disk_kind disk_kinds[]; /* the last row has a name of NULL */

/* Returns true if disks of this kind have the trait; false when the name is NULL or not a kind. */
bool disk_kind_is(const char *name, enum disk_trait trait);

#endif
