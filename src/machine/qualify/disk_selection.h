/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks in the inventory: which of them are qualified, and what is known about each.
 *
 * A disk is identified by its node. The disk alone owns this node, the nodes above it up to the
 * first one that other disks share (so its controller, port and link), and the sensors below these.
 */
#ifndef CUPEL_MACHINE_QUALIFY_DISK_SELECTION_H
#define CUPEL_MACHINE_QUALIFY_DISK_SELECTION_H

#include <stdbool.h>

#include "base/err.h"
#include "facts/inventory.h"
#include "facts/qualification.h"
#include "hw/sysroot/sysroot.h"

/* Returns whether the node is a device of its own (no volume, loop device, CD or network disk) with
   something to measure. */
bool disk_is_own(const struct inventory *v, int node);

/* Finds the node that a user means by a name ("nvme0n1"), a path ("/dev/disk/by-id/...") or a
   serial number. ERR_USAGE: no such disk, or a partition, or no block device. */
int disk_find(const struct inventory *v, const struct sysroot *root, const char *name, int *node,
              struct err *e);

/* Returns another disk of this machine that has the same serial number as `name`, or NULL.
   Namespaces of one drive share a serial number, and so do two paths to one disk. */
const char *disk_other_of_serial(const struct inventory *v, const char *serial, const char *name);

/* Fills in the disk's identity: name, kind, model, serial, firmware, link, slot, size. Values that
   are measured later become NaN. */
void disk_describe(const struct inventory *v, int node, struct qualification_device *d);

/* Returns a fact of the disk, or else of a part that carries this disk alone (an NVMe controller, a
   port); NULL if neither has it. */
const struct inventory_fact *disk_fact(const struct inventory *v, int node, const char *key);

/* Returns the node that has the disk's own link (a port, a PCI function, a USB device), or
   INVENTORY_NONE. A link that a hypervisor reports does not count. */
int disk_link(const struct inventory *v, int node);

/* Returns the controller or sensor that reports the disk's temperature, or INVENTORY_NONE. */
int disk_thermometer(const struct inventory *v, int node);

/* Returns the device of the qualification that alone owns `node`; -1 if several do, or none. */
int disk_owner(const struct qualification *q, int node);

#endif
