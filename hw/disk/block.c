/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block prober: makes a node of its kind for every device of /sys/class/block. */
#include "hw/disk/block.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "hw/disk/internal.h"
#include "hw/probers.h"

/* ---- the families of devices, by the names that the kernel's drivers give them ---- */

static const struct attribute scsi_rows[] = {
    {"queue_depth", ATTRIBUTE_NUMBER, {"device/queue_depth"}, 1, "", true},
    {"state", ATTRIBUTE_TEXT, {"device/state"}, 0, NULL, true},
};

static const struct attribute rbd_rows[] = {
    {"pool", ATTRIBUTE_TEXT, {"device/pool"}, 0, NULL, true},
};

static const struct attribute nbd_rows[] = {
    {"backend", ATTRIBUTE_TEXT, {"backend"}, 0, NULL, true},
};

static const struct attribute raid_rows[] = {
    {"level", ATTRIBUTE_TEXT, {"md/level"}, 0, NULL, false},
    {"chunk_size", ATTRIBUTE_NUMBER, {"md/chunk_size"}, 1, "bytes", true},
    {"state", ATTRIBUTE_TEXT, {"md/array_state"}, 0, NULL, false},
    {"degraded_members", ATTRIBUTE_NUMBER, {"md/degraded"}, 1, "", true},
    {"sync_action", ATTRIBUTE_TEXT, {"md/sync_action"}, 0, NULL, true},
    {"consistency_policy", ATTRIBUTE_TEXT, {"md/consistency_policy"}, 0, NULL, true},
    {"stripe_cache_size", ATTRIBUTE_NUMBER, {"md/stripe_cache_size"}, 1, "", true},
};

static const struct attribute mapper_rows[] = {
    {"name", ATTRIBUTE_TEXT, {"dm/name"}, 0, NULL, false},
    {"suspended", ATTRIBUTE_YES_NO, {"dm/suspended"}, 0, NULL, true},
};

static const struct attribute bcache_rows[] = {
    {"cache_mode", ATTRIBUTE_CHOICE, {"bcache/cache_mode"}, 0, NULL, true},
    {"state", ATTRIBUTE_TEXT, {"bcache/state"}, 0, NULL, true},
};

static const struct attribute loop_rows[] = {
    {"backing_file", ATTRIBUTE_TEXT, {"loop/backing_file"}, 0, NULL, false},
    {"offset", ATTRIBUTE_NUMBER, {"loop/offset"}, 1, "bytes", true},
    {"direct_io", ATTRIBUTE_YES_NO, {"loop/dio"}, 0, NULL, true},
};

static const struct attribute zram_rows[] = {
    {"algorithm", ATTRIBUTE_CHOICE, {"comp_algorithm"}, 0, NULL, true},
};

static const struct attribute pmem_rows[] = {
    {"dax", ATTRIBUTE_YES_NO, {"queue/dax"}, 0, NULL, true},
};

#define ROWS(rows) rows, ATTRIBUTE_COUNT(rows)

/* The drivers of dm, md and loop make devices of one kind, whatever the rest of the name is; loop
   and nbd make devices in advance, which are empty until they are set up. */
static const struct block_family families[] = {
    {"nvme", NODE_DISK, "nvme", NULL, NULL, 0, NULL},
    {"sd", NODE_DISK, "scsi", NULL, ROWS(scsi_rows), NULL},
    {"sr", NODE_DISK, "scsi", NULL, ROWS(scsi_rows), NULL},
    {"vd", NODE_DISK, "virtio", NULL, NULL, 0, NULL},
    {"xvd", NODE_DISK, "xen", NULL, NULL, 0, NULL},
    {"mmcblk", NODE_DISK, "mmc", NULL, NULL, 0, NULL},
    {"dasd", NODE_DISK, "ccw", NULL, NULL, 0, NULL},
    {"rbd", NODE_DISK, "rbd", NULL, ROWS(rbd_rows), NULL},
    {"nbd", NODE_DISK, "nbd", "pid", ROWS(nbd_rows), NULL},
    {"drbd", NODE_DISK, "drbd", NULL, NULL, 0, NULL},
    {"ublkb", NODE_DISK, "ublk", NULL, NULL, 0, NULL},
    {"nullb", NODE_DISK, "null_blk", NULL, NULL, 0, NULL},
    {"zd", NODE_DISK, "zfs", NULL, NULL, 0, NULL},
    {"md", NODE_RAID, NULL, NULL, ROWS(raid_rows), block_add_raid},
    {"dm-", NODE_MAPPER, NULL, NULL, ROWS(mapper_rows), block_add_mapper},
    {"bcache", NODE_MAPPER, NULL, NULL, ROWS(bcache_rows), block_add_bcache},
    {"loop", NODE_LOOP, NULL, "loop/backing_file", ROWS(loop_rows), NULL},
    {"zram", NODE_MEMORY_DISK, NULL, NULL, ROWS(zram_rows), NULL},
    {"ram", NODE_MEMORY_DISK, NULL, NULL, NULL, 0, NULL},
    {"pmem", NODE_MEMORY_DISK, NULL, NULL, ROWS(pmem_rows), NULL},
};

static const struct block_family plain = {"", NODE_DISK, NULL, NULL, NULL, 0, NULL};

/* ---- the devices ---- */

static const struct attribute partition_rows[] = {
    {"start", ATTRIBUTE_NUMBER, {"start"}, 512, "bytes", false},
    {"size", ATTRIBUTE_NUMBER, {"size"}, 512, "bytes", false},
};

static void look_at_device(struct block_device *d, const struct sysroot_names *all)
{
    const struct block_family *family = &plain;
    char path[BLOCK_FILE];
    for (size_t i = 0; family == &plain && i < sizeof families / sizeof *families; i++)
        if (!strncmp(d->name, families[i].prefix, strlen(families[i].prefix)))
            family = &families[i];
    bool is_partition = sysroot_exists(d->probe->root, block_file(d, path, "partition"));
    if (!is_partition && family->mark &&
        !sysroot_exists(d->probe->root, block_file(d, path, family->mark)))
        return;
    enum node_kind kind = is_partition ? NODE_PARTITION : family->kind;
    d->node = probe_add_device(d->probe, kind, d->name, d->path, d->folder);
    if (d->node == INVENTORY_NONE) /* it has disappeared meanwhile */
        return;
    if (kind == NODE_DISK)
        block_add_identity(d, family);
    attributes_add(d->probe->root, d->probe->inventory, d->node, d->path,
                   is_partition ? partition_rows : family->rows,
                   is_partition ? ATTRIBUTE_COUNT(partition_rows) : family->row_count);
    if (is_partition)
        return;
    if (family->add)
        family->add(d);
    block_add_queue(d, family);
    nvme_add_paths(d, all);
}

/* The names are sorted: a disk comes before its partitions, which then find it. */
void look_at_block(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, BLOCK_CLASS, &names);
    for (size_t i = 0; i < names.count; i++) {
        struct block_device d = {.name = names.names[i]};
        if (!block_is_name(d.name) || nvme_is_path(d.name))
            continue;
        sysroot_join(d.path, sizeof d.path, BLOCK_CLASS, d.name);
        struct sysroot near;
        struct probe probe = *p;
        sysroot_near_open(&near, p->root, d.path);
        probe.root = &near;
        d.probe = &probe;
        look_at_device(&d, &names);
        d.probe = NULL;
        sysroot_near_close(&near);
    }
    sysroot_names_free(&names);
}

int block_node(const struct sysroot *root, const struct inventory *v, dev_t device)
{
    char path[64], folder[PROBE_FOLDER];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(device), minor(device));
    if (sysroot_folder(root, path, folder, sizeof folder) != FACT_OK)
        return INVENTORY_NONE;
    return inventory_at(v, folder);
}
