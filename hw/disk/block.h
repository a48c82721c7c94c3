/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices of the inventory by their number, and the kinds of disks. */
#ifndef CUPEL_HW_DISK_BLOCK_H
#define CUPEL_HW_DISK_BLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* The node of the block device with this number (/sys/dev/block/MAJ:MIN); call it after the block
   prober has run. INVENTORY_NONE when there is no such device, or it was left out. */
int block_node(const struct sysroot *root, const struct inventory *v, dev_t device);

/*
 * Kinds of disks: the buses and transports by which they are attached (the facts `bus` and
 * `transport`), and volumes made of other devices. Expectations use these names.
 */
enum disk_trait {
    DISK_OF_NETWORK = 1,    /* not a drive of this machine */
    DISK_BEHIND_BRIDGE = 2, /* behind a bridge from another protocol, or a card reader that may have
                               no card */
    DISK_HAS_HEALTH = 4,    /* every disk of this kind reports its health */
};

struct disk_kind {
    const char *name;
    const char *folder; /* the beginning of a folder's name on the way to such a disk in
                           /sys/devices, which a number follows; or NULL */
    unsigned traits;
};

extern const struct disk_kind disk_kinds[]; /* ended by a name of NULL */

/* False when the name is NULL or not a kind. */
bool disk_kind_is(const char *name, enum disk_trait trait);

#endif
