/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block prober: every device of /sys/class/block becomes a node of its kind. */
#include "hw/disk/block.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/span.h"
#include "hw/disk/internal.h"
#include "hw/probers.h"

static const struct attribute partition_rows[] = {
    {"start", ATTRIBUTE_NUMBER, {"start"}, 512, "bytes", false},
    {"size", ATTRIBUTE_NUMBER, {"size"}, 512, "bytes", false},
};

bool block_is_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '\x7f')
            return false;
    return *name && span_is_text(span_of(name));
}

char *block_file(const struct block_device *d, char to[BLOCK_FILE], const char *file)
{
    return sysroot_join(to, BLOCK_FILE, d->path, file);
}

static bool has(const struct block_device *d, const char *file)
{
    char path[BLOCK_FILE];
    return sysroot_exists(d->probe->root, block_file(d, path, file));
}

/* False: there is no such device any more. */
static bool add_node(struct block_device *d, enum node_kind kind)
{
    d->node = probe_add_device(d->probe, kind, d->name, d->path, d->folder);
    return d->node != INVENTORY_NONE;
}

static void look_at_partition(struct block_device *d)
{
    if (add_node(d, NODE_PARTITION))
        attributes_add(d->probe->root, d->probe->inventory, d->node, d->path, partition_rows,
                       ATTRIBUTE_COUNT(partition_rows));
}

static void look_at_whole(struct block_device *d, const struct sysroot_names *all)
{
    const struct block_family *family = block_family(d->name);
    if ((family->mark && !has(d, family->mark)) || !add_node(d, family->kind))
        return;
    if (family->kind == NODE_DISK)
        block_add_identity(d, family);
    attributes_add(d->probe->root, d->probe->inventory, d->node, d->path, family->rows,
                   family->row_count);
    if (family->add)
        family->add(d);
    block_add_queue(d, family);
    block_add_nvme_paths(d, all);
}

/* The names are sorted: a disk comes before its partitions, so that they find it. */
void look_at_block(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, BLOCK_CLASS, &names);
    for (size_t i = 0; i < names.count; i++) {
        struct block_device d = {.name = names.names[i]};
        if (!block_is_name(d.name) || block_is_nvme_path(d.name))
            continue;
        sysroot_join(d.path, sizeof d.path, BLOCK_CLASS, d.name);
        struct sysroot near;
        struct probe probe = *p;
        sysroot_near_open(&near, p->root, d.path);
        probe.root = &near;
        d.probe = &probe;
        if (has(&d, "partition"))
            look_at_partition(&d);
        else
            look_at_whole(&d, &names);
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
