/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Storage on another machine, and the way to it: network filesystems, iSCSI disks, NVMe over
 * Fabrics.
 */
#ifndef CUPEL_HW_REMOTE_H
#define CUPEL_HW_REMOTE_H

#include "base/inventory.h"
#include "hw/sysroot.h"

/*
 * The NODE_REMOTE that holds the data of a filesystem, disk or NVMe controller; found when the
 * inventory has it, else added at the top. Its facts:
 *   protocol   "NFS", "SMB", "iSCSI", "NVMe/tcp" ...; ends in "/rdma" where no TCP is
 *   address    of the server, as mount options, session or controller tell it
 *   interface  the network interface that packets to it leave by; absent when no route is known
 * INVENTORY_NONE: the data are on this machine, or behind an adapter of its own (Fibre Channel,
 * iSCSI in hardware), which the tree of devices shows.
 */
int remote_of(const struct sysroot *root, struct inventory *v, int node);

#endif
