/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks in the inventory: which of them are qualified, and what is known of each.
 *
 * A disk is known by its node. What belongs to it alone are the node, those above it up to the
 * first that other disks share (its controller, its port and link), and the sensors below those.
 */
#ifndef CUPEL_MACHINE_QUALIFY_DISKS_H
#define CUPEL_MACHINE_QUALIFY_DISKS_H

#include <stdbool.h>

#include "base/err.h"
#include "facts/inventory.h"
#include "facts/qualification.h"
#include "hw/sysroot/sysroot.h"

/* A device of its own (no volume, no loop, no CD, no network) with something to measure. */
bool disk_is_own(const struct inventory *v, int node);

/*
 * The node that a user means by a name ("nvme0n1"), a path ("/dev/disk/by-id/...") or a serial
 * number. ERR_USAGE: there is none, or it is a partition or no block device.
 */
int disk_find(const struct inventory *v, const struct sysroot *root, const char *name, int *node,
              struct err *e);

/* Another disk of this machine with that serial number than `name`, or NULL: namespaces of a drive
   have one in common, and so have paths to a disk. */
const char *disk_other_of_serial(const struct inventory *v, const char *serial, const char *name);

/* Its identity: name, kind, model, serial, firmware, link, slot, size. The numbers that are
   measured become NaN. */
void disk_describe(const struct inventory *v, int node, struct qualification_device *d);

/* A fact of the disk, else of what carries it alone (an NVMe controller, a port); or NULL. */
const struct inventory_fact *disk_fact(const struct inventory *v, int node, const char *key);

/* The node that has the disk's own link, or INVENTORY_NONE: a port, a PCI function, a USB device.
   What a hypervisor says of a link is none. */
int disk_link(const struct inventory *v, int node);

/* The controller or sensor whose temperature is the disk's, or INVENTORY_NONE. */
int disk_thermometer(const struct inventory *v, int node);

/* The device of the qualification that `node` belongs to alone; -1: of several, or of none. */
int disk_owner(const struct qualification *q, int node);

#endif
