/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data path of a target (Li et al., Pilot (2016), III-B): every component between the file or
 * device and the processor, with the theoretical limit of each in both directions.
 *
 * It is a directed graph that starts at the target (part 0) and ends at the machine: a file, its
 * filesystem, volumes of LVM, dm and md with one leg for each member, partition, disk, controller,
 * every PCIe bridge, NUMA node or socket. Legs meet again at the bridge or socket that they share.
 * For NFS, iSCSI and NVMe over Fabrics the path goes on through the network interface that the
 * kernel's routes name, and from there down to the socket.
 *
 * Parts have indices in `parts`; their nodes belong to the inventory that the caller gave. A path
 * is plain memory and needs no release.
 */
#ifndef CUPEL_HW_PATH_DATA_PATH_H
#define CUPEL_HW_PATH_DATA_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

#define DATA_PATH_PARTS 160
#define DATA_PATH_EDGES 256

struct data_path_part {
    int node;
    /* number of edges from the target: 0 for the target itself; for other parts, one more than the
       smallest depth of the parts that lead to it */
    unsigned depth;
    double limit_read, limit_write; /* limits of this part and its link, bytes/s; NaN: not known */
    bool is_target_device; /* a disk that holds the target's data: what the user wants to measure */
};

/* Data of `from` pass through `to`, which is nearer to the processor. */
struct data_path_edge {
    int from, to;     /* indices of the two parts */
    bool writes_only; /* only for writes: `to` is a member that the array `from` is rebuilding */
};

struct data_path {
    size_t part_count, edge_count;
    struct data_path_part parts[DATA_PATH_PARTS];
    struct data_path_edge edges[DATA_PATH_EDGES];
    bool remote; /* the path goes through a network */
    /* false: something between target and processor is not known (such as a VM's disk), or the
       graph has more parts than fit */
    bool complete;
    bool full; /* parts or edges were left out, because the arrays were full */
    /* Limits of the whole path, bytes/s: what its parts, parallel legs and shared bridges allow
       together. */
    double limit_read, limit_write;
    /* index of the part that sets the limit; -1: no limit is known */
    int limiting_read, limiting_write;
};

/* Returns the index of the part with this node, or -1. */
int data_path_part(const struct data_path *path, int node);

/*
 * Finds the path. `device` is the block device itself, or the one that `file` lies on (st_dev);
 * `file` may be NULL, and in a captured tree must be absolute. Filesystem and remote nodes that the
 * inventory lacks are added to it. If nothing is found the path has no part.
 */
void data_path_find(struct data_path *path, const struct sysroot *root, struct inventory *v,
                    dev_t device, const char *file);

/* Finds the path of a block device or network interface by its name: "nvme0n1", "md0", "eth0"
   (cupel probe on a captured tree). Returns false if there is no such device. */
bool data_path_of_name(struct data_path *path, const struct sysroot *root, struct inventory *v,
                       const char *name);

/* Another machine, to which this one sends and from which it receives. */
#define DATA_PATH_HOST "TCP" /* protocol that the host's node has as a fact */
struct data_path_host {
    const char *address; /* numeric address, as for route_find; NULL: there is none */
    /* interface for packets to the host; NULL: the interface that the routes name */
    const char *interface;
};

/* Finds the path from that machine, through the network interface that leads to it, to the
   processor. */
void data_path_to_host(struct data_path *path, const struct sysroot *root, struct inventory *v,
                       const struct data_path_host *host);

/*
 * Inserts `node` as a part right before `to`, on every way from `from` to `to`; the limits are
 * computed again. `from` and `to` are indices of parts. Returns false, and changes nothing, if no
 * way leads from one to the other, or the path is full.
 */
bool data_path_insert(struct data_path *path, const struct inventory *v, int node, int from,
                      int to);

/* Returns the NUMA node at which all ways of the path end; -1: there is none, or there are
   several. */
int data_path_numa_node(const struct data_path *path, const struct inventory *v);

/* ---- the server of remote storage (data_path_server.c) ---- */

/* Prefix of the names of the server's parts. */
#define DATA_PATH_SERVER "server:"

struct data_path_server {
    const struct sysroot *root; /* the server's tree */
    /* the server's inventory, probed before by the caller; its filesystems are added to it */
    struct inventory *inventory;
    /* path or name on the server that holds the data; "": the path that NFS mounts */
    const char *target;
};

/*
 * Continues a path that leaves this machine for remote storage (or a host's memory). In the server
 * the path leads through the filesystem, volumes, disks, controllers and bridges to the memory, and
 * from there to the interface in the network of the server's address; this machine's interface
 * follows. The server's parts become nodes of `v` below the remote storage, with names such as
 * "server:nvme0n1". The limits are computed again. A part that lies both between disk and memory
 * and between memory and network is in the path once, as a part of the storage: the network uses
 * its link in the other direction. ERR_USAGE: the path stays on this machine, or the server has no
 * such target; ERR_MACHINE: no memory, or the path does not fit. After an error the path is
 * unchanged.
 */
int data_path_continue(struct data_path *path, struct inventory *v,
                       const struct data_path_server *server, struct err *e);

/* Which processor cores serve the interrupts of a data path's devices. */

/*
 * Finds the interrupts of the path's PCI functions (msi_irqs, otherwise irq), how often each was
 * served so far (/proc/interrupts), and its effective affinity. Writes up to `max` cores that serve
 * them, each once, those of the busiest interrupts first. Returns their number.
 */
size_t interrupts_cores(const struct sysroot *root, const struct inventory *v,
                        const struct data_path *path, int cores[], size_t max);

#endif
