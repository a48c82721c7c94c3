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

/* The depth of every part: 0 of the target, of others one more than of the nearest part above. */
void data_path_depths(struct data_path *path);

/* ---- data_path_limit.c ---- */

/*
 * The limits of a data path: those of its parts, and of all of it in each direction.
 *
 * Data flow from the target to the machine. A part passes them on to its legs by a rule: a stripe
 * gives every member the same share, a mirror that is written gives every member all of it, a
 * mirror that is read, a bond or several ways to a disk let each take as much as it can. The
 * path's limit is the largest rate at the target for which no part has to carry more than its own
 * limit. So parts in series limit by the smallest, legs of a stripe add up, and a bridge that legs
 * share limits their sum.
 */

/*
 * Fills limit_read and limit_write of the parts and of the path, the limiting parts, and clears
 * `complete` where a part between target and machine has no known limit. The edges must have no
 * cycle, and those of one part must stand side by side.
 */
void data_path_limits(struct data_path *path, const struct inventory *v);

/* ---- data_path_next.c ---- */

/* One step of the data path: from a part to those nearer to the processor. */

#define NEXT_MAX 96

struct next {
    int nodes[NEXT_MAX];        /* without repeats; of a bond its active member first */
    bool writes_only[NEXT_MAX]; /* a member that an array is rebuilding: nothing is read of it */
    size_t count;               /* 0 at the machine */
    bool full;                  /* more legs than NEXT_MAX: the others are left out */
    bool unknown;               /* data go elsewhere too, which the inventory does not show */
};

/*
 * The legs below `node`: members of volumes, arrays, bonds and bridges, the file's filesystem below
 * a loop device, the network interface to a server, and for all else what it hangs on. `device` is
 * the number of the block device below `node` when it is a filesystem; 0: as the mounts name it.
 * Filesystem and remote nodes may be added to the inventory.
 */
void data_path_next(struct next *next, const struct sysroot *root, struct inventory *v, int node,
                    dev_t device);

/* ---- remote_storage.c ---- */

/*
 * Storage on another machine, and the way to it: network filesystems, iSCSI disks, NVMe over
 * Fabrics.
 */

/*
 * The NODE_REMOTE that holds the data of a filesystem, disk or NVMe controller; found when the
 * inventory has it, else added at the top. Its facts:
 *   protocol   "NFS", "SMB", "iSCSI", "NVMe/tcp" ...; ends in "/rdma" where no TCP is
 *   address    of the server, as mount options, session or controller name it
 *   interface  the network interface that packets to it leave by; absent when no route is known
 * INVENTORY_NONE: the data are on this machine, or reached by an adapter of its own (Fibre Channel,
 * iSCSI in hardware), which the tree of devices shows.
 */
int remote_of(const struct sysroot *root, struct inventory *v, int node);

/* The same of a machine that was named; added when the inventory does not have it. */
int remote_host(const struct sysroot *root, struct inventory *v, const struct data_path_host *host);

/* ---- network_route.c: the way that packets take out of this machine ---- */

/*
 * The network interface by which packets to `address` leave ("192.0.2.7", "2001:db8::7",
 * "fe80::7%eth0"): that of the longest prefix and, of equal ones, of the smallest metric, out of
 * /proc/net/route and /proc/net/ipv6_route. Policy routing (other tables, source addresses) does
 * not show there. False, and "" in `interface`: no address, or no route to it.
 */
bool route_find(const struct sysroot *root, const char *address, char *interface, size_t size);

#endif
