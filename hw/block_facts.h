/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the block prober: hw/block.c finds the devices, the other hw/block_*.c add their
 * facts.
 */
#ifndef CUPEL_HW_BLOCK_FACTS_H
#define CUPEL_HW_BLOCK_FACTS_H

#include "hw/attribute.h"
#include "hw/prober.h"

#define BLOCK_CLASS "/sys/class/block"
#define BLOCK_FILE  1024 /* room for the path of any file of a device */

struct block_device {
    struct probe *probe;
    int node;
    const char *name;
    char path[BLOCK_FILE / 2]; /* "/sys/class/block/sda": its files are read below it */
    char folder[PROBE_FOLDER]; /* below /sys/devices */
};

/* What devices of one driver have in common, known by how the kernel names them. */
struct block_family {
    const char *prefix;
    enum node_kind kind;
    const char *bus;  /* of disks; NULL: what the link device/subsystem tells */
    const char *mark; /* a file that such a device has only once it is set up; NULL: it always is */
    const struct attribute *rows;
    size_t row_count;
    void (*add)(const struct block_device *d); /* facts that are no single file; may be NULL */
};

/* The family of a name that is no partition's; of one that nobody knows, that of plain disks. */
const struct block_family *block_family(const char *name);

/* ---- block_disk.c ---- */

/* Who made it, and the bus it hangs on: of disks only. */
void block_add_identity(const struct block_device *d, const struct block_family *family);
/* Size, request queue, cache, discard, block sizes: of everything that takes requests. */
void block_add_queue(const struct block_device *d, const struct block_family *family);

/* ---- block_volume.c: what devices made of other devices tell ---- */

void block_add_raid(const struct block_device *d);
void block_add_mapper(const struct block_device *d);
void block_add_bcache(const struct block_device *d);

/* ---- block_paths.c: one device, several ways to it ---- */

/* Is it the name of one path to an NVMe namespace ("nvme0c1n1")? The kernel lists it, but nobody
   can open it. */
bool block_is_nvme_path(const char *name);
/* Where a namespace has several controllers: fact `paths` and the state of each; it moves below the
   first of them. `all` are the names of all block devices. */
void block_add_nvme_paths(const struct block_device *d, const struct sysroot_names *all);
/* The state of one path of a dm multipath device. */
void block_add_mapper_path(const struct block_device *d, const char *member);

/* ---- block.c ---- */

/* A name without blanks and control characters: others come from no kernel. */
bool block_is_name(const char *name);
/* The path of a file of the device. Writes to `to`, returns it; "" when it does not fit. */
char *block_file(const struct block_device *d, char to[BLOCK_FILE], const char *file);

#endif
