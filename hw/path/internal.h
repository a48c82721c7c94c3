/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/path share. */
#ifndef CUPEL_HW_PATH_INTERNAL_H
#define CUPEL_HW_PATH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/path/data_path.h"
#include "hw/sysroot/sysroot.h"

/* ---- data_path.c ---- */

/* Sets the depth of every part: 0 for the target, for others one more than the nearest part before
   it. */
void data_path_depths(struct data_path *path);

/* ---- data_path_limit.c ---- */

/*
 * The limits of a data path: of its parts, and of the whole in each direction.
 *
 * Data flow from the target to the machine. A part distributes them to its legs by a rule: a stripe
 * gives every member the same share; a written mirror gives every member all data; a mirror that
 * is read, a bond or several ways to a disk let each leg take as much as it can. The path's limit
 * is the largest rate at the target for which no part must carry more than its own limit. So the
 * smallest limit of parts in series counts, the legs of a stripe add up, and a bridge that legs
 * share limits their sum.
 */

/*
 * Computes limit_read and limit_write of the parts and of the path, and the limiting parts. Clears
 * `complete` where a part between target and machine has no known limit. The edges must have no
 * cycle, and the edges of one part must be consecutive.
 */
void data_path_limits(struct data_path *path, const struct inventory *v);

/* ---- data_path.c ---- */

/* One step of the data path: from a part to the next parts towards the processor. */

#define NEXT_MAX 96

struct next {
    int nodes[NEXT_MAX]; /* each node once; for a bond its active member first */
    /* the member is being rebuilt by an array: it is written, but not read */
    bool writes_only[NEXT_MAX];
    size_t count; /* 0 at the machine */
    bool full;    /* there are more legs than NEXT_MAX: some were left out */
    bool unknown; /* data also go to parts that the inventory does not show */
};

/* ---- remote_storage.c ---- */

/*
 * Storage on another machine, and the way to it: network filesystems, iSCSI disks, NVMe over
 * Fabrics.
 */

/*
 * Returns the NODE_REMOTE that holds the data of a filesystem, disk or NVMe controller: the
 * existing one if the inventory has it, otherwise a new one at the top. Its facts:
 *   protocol   "NFS", "SMB", "iSCSI", "NVMe/tcp" ...; ends in "/rdma" when it does not use TCP
 *   address    of the server, from mount options, session or controller
 *   interface  the network interface for packets to it; absent when no route is known
 * INVENTORY_NONE: the data are on this machine, or are reached by an adapter (Fibre Channel, iSCSI
 * in hardware) that the tree of devices shows.
 */
int remote_of(const struct sysroot *root, struct inventory *v, int node);

/* Returns the node of the machine that `host` names; it is added if the inventory does not have
   it. */
int remote_host(const struct sysroot *root, struct inventory *v, const struct data_path_host *host);

/* ---- network_route.c: the way that packets take out of this machine ---- */

/*
 * Finds the network interface for packets to `address` ("192.0.2.7", "2001:db8::7",
 * "fe80::7%eth0"): that of the route with the longest prefix and, of equal ones, the smallest
 * metric, from /proc/net/route and /proc/net/ipv6_route. These files do not show policy routing
 * (other tables, source addresses). Returns false, with "" in `interface`, if there is no address,
 * or no route to it.
 */
bool route_find(const struct sysroot *root, const char *address, char *interface, size_t size);

#endif
