/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices of the inventory by their number, and the kinds of disks. */
#ifndef CUPEL_HW_DISK_BLOCK_H
#define CUPEL_HW_DISK_BLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* The node of the block device with this number (/sys/dev/block/MAJ:MIN), after the block prober
   has run. INVENTORY_NONE when there is no such device, or it was left out. */
int block_node(const struct sysroot *root, const struct inventory *v, dev_t device);

/*
 * Kinds of disks: the buses and transports that they are attached by (the facts `bus` and
 * `transport`), and volumes of other devices. Expectations name disks by them.
 */
enum disk_trait {
    DISK_OF_NETWORK = 1,    /* no drive of this machine */
    DISK_BEHIND_BRIDGE = 2, /* of another protocol, or a reader that may have no card */
    DISK_HAS_HEALTH = 4,    /* every one reports its health */
};

struct disk_kind {
    const char *name;
    const char
        *folder; /* how a folder of /sys/devices on its way begins, a number follows; or NULL */
    unsigned traits;
};

extern const struct disk_kind disk_kinds[]; /* ended by a name of NULL */

/* False for a name that is NULL or no kind. */
bool disk_kind_is(const char *name, enum disk_trait trait);

#endif
