/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the mount that a path lies on, its filesystem, and the block device below it. */
#include "hw/disk/filesystem.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file/device_number.h"
#include "base/file/mountinfo.h"
#include "base/span.h"
#include "base/text.h"
#include "hw/disk/block.h"
#include "hw/disk/internal.h"

#define BTRFS_FOLDER "/sys/fs/btrfs"

/* ---- mounts: reads mountinfo line by line and keeps the best match ---- */

void mount_option(const char *list, const char *key, char *to, size_t size)
{
    size_t head = strlen(key);
    to[0] = '\0';
    while (list && *list) {
        size_t length = strcspn(list, ",");
        if (!strncmp(list, key, head)) {
            snprintf(to, size, "%.*s", (int)(length - head < size ? length - head : 0),
                     list + head);
            return;
        }
        list += length + (list[length] == ',');
    }
}

struct mount_search {
    const char *path;
    dev_t device;
    /* rank of the best mount found so far. 0: none was found. Otherwise 1 + length of the mount
       point; a mount of the given device ranks above all other mounts */
    uint64_t best;
    struct mount *found;
};

#define ON_THE_DEVICE ((uint64_t)1 << 32)

static void copy_field(char *to, size_t size, const char *text)
{
    span_printable(to, size, span_of(text));
}

static bool consider_mount(void *context, char *line)
{
    struct mount_search *search = context;
    struct mountinfo read;
    if (!mountinfo_parse(line, &read) || !read.type[0])
        return true;
    size_t length = strlen(read.point);
    uint64_t rank = length + 1 + (read.device == search->device ? ON_THE_DEVICE : 0);
    /* Every path lies below "/". "/home/a" lies below "/home", but "/homes" does not. */
    const char *path = search->path;
    bool below = !strcmp(read.point, "/") ? path[0] == '/'
                                          : !strncmp(path, read.point, length) &&
                                                (path[length] == '/' || path[length] == '\0');
    if (!below || rank < search->best)
        return true;
    /* Of mounts with equal rank the last one counts, because it covers the earlier ones. */
    search->best = rank;
    struct mount *m = search->found;
    m->device = read.device;
    copy_field(m->type, sizeof m->type, read.type);
    copy_field(m->source, sizeof m->source, read.source);
    copy_field(m->point, sizeof m->point, read.point);
    copy_field(m->options, sizeof m->options, read.options);
    copy_field(m->super_options, sizeof m->super_options, read.super_options);
    m->upper_folder[0] = '\0';
    if (!strcmp(read.type, "overlay"))
        mount_option(read.super_options, "upperdir=", m->upper_folder, sizeof m->upper_folder);
    return true;
}

enum fact_status mount_find(const struct sysroot *root, const char *path, dev_t device,
                            struct mount *found)
{
    struct mount_search search = {.path = path, .device = device, .found = found};
    *found = (struct mount){0};
    enum fact_status status = sysroot_each_line(root, MOUNT_FILE, consider_mount, &search);
    if (status == FACT_OK && !search.best)
        return FACT_ABSENT;
    return status;
}

/* ---- from the mount to its block device; 0:0 when there is none ---- */

static bool is_this_machine(const struct sysroot *root)
{
    return !root->prefix[0];
}

static bool is_block_device(const struct sysroot *root, const char *path, dev_t *device)
{
    struct stat s;
    if (!is_this_machine(root) || stat(path, &s) || !S_ISBLK(s.st_mode))
        return false;
    *device = s.st_rdev;
    return true;
}

static dev_t read_number(const struct sysroot *root, const char *folder)
{
    char path[PATH_MAX], text[32];
    dev_t device;
    snprintf(path, sizeof path, "%s/dev", folder);
    bool known = sysroot_line(root, path, text, sizeof text) == FACT_OK &&
                 device_number_parse(text, &device);
    return known ? device : makedev(0, 0);
}

static dev_t device_of_source(const struct sysroot *root, const struct inventory *v,
                              const char *source)
{
    char folder[320];
    dev_t device;
    if (strncmp(source, "/dev/", 5) != 0)
        return makedev(0, 0);
    if (is_block_device(root, source, &device))
        return device;
    const char *name = strrchr(source, '/') + 1;
    bool mapper = !strncmp(source, "/dev/mapper/", 12); /* the kernel calls /dev/mapper/NAME dm-N */
    for (int node = 0; mapper && node < v->node_count; node++) {
        const char *known =
            v->nodes[node].kind == NODE_MAPPER ? inventory_value(v, node, "name") : NULL;
        if (known && !strcmp(known, name))
            return read_number(root, v->nodes[node].path);
    }
    if (mapper)
        return makedev(0, 0);
    snprintf(folder, sizeof folder, "/sys/class/block/%s", name);
    return *name ? read_number(root, folder) : makedev(0, 0);
}

/* Returns the number of the real device, which the mount names: btrfs and overlay give files their
   own device numbers. */
static dev_t device_below(const struct sysroot *root, const struct inventory *v,
                          const struct mount *mount)
{
    struct mount upper;
    if (major(mount->device))
        return mount->device;
    if (!mount->upper_folder[0])
        return device_of_source(root, v, mount->source);
    /* Data that are written to an overlay lie in its upper folder. In a container, the upper folder
       of the root is a path of the host, which means something else here. */
    if (!strcmp(mount->point, "/") ||
        mount_find(root, mount->upper_folder, makedev(0, 0), &upper) != FACT_OK)
        return makedev(0, 0);
    return major(upper.device) ? upper.device : device_of_source(root, v, upper.source);
}

/* ---- the node ---- */

static void add_fact(struct inventory *v, int node, const char *key, const char *value)
{
    if (value[0])
        inventory_add(v, node, key, value, "", MOUNT_FILE, FACT_OK);
}

/* Adds the list of all devices of a btrfs filesystem, "sda, sdb", because its mount names only one
   of them. */
static void add_btrfs_members(const struct sysroot *root, struct inventory *v, int node,
                              dev_t device)
{
    int block = block_node(root, v, device);
    struct sysroot_names filesystems;
    struct text list = {0};
    bool found = false;
    if (block == INVENTORY_NONE)
        return;
    sysroot_list(root, BTRFS_FOLDER, &filesystems);
    for (size_t i = 0; i < filesystems.count && !found; i++) {
        char folder[512];
        struct sysroot_names devices;
        snprintf(folder, sizeof folder, BTRFS_FOLDER "/%s/devices", filesystems.names[i]);
        sysroot_list(root, folder, &devices);
        for (size_t d = 0; d < devices.count; d++)
            found = found || !strcmp(devices.names[d], v->nodes[block].name);
        for (size_t d = 0; found && devices.count > 1 && d < devices.count; d++)
            text_addf(&list, "%s%s", d ? ", " : "", devices.names[d]);
        if (list.length)
            inventory_add(v, node, "members", list.data, "", folder, FACT_OK);
        sysroot_names_free(&devices);
    }
    if (list.failed)
        v->failed = true;
    text_free(&list);
    sysroot_names_free(&filesystems);
}

static int add_mount_node(const struct sysroot *root, struct inventory *v,
                          const struct mount *mount, dev_t device)
{
    for (int node = 0; node < v->node_count; node++) {
        if (v->nodes[node].kind != NODE_FILESYSTEM)
            continue;
        const char *point = inventory_value(v, node, "mount_point");
        const char *source = inventory_value(v, node, "device");
        if (point && source && !strcmp(point, mount->point) && !strcmp(source, mount->source))
            return node;
    }
    int node =
        inventory_add_node(v, NODE_FILESYSTEM, mount->point, NULL, inventory_find(v, "machine"));
    add_fact(v, node, "type", mount->type);
    add_fact(v, node, "device", mount->source);
    add_fact(v, node, "mount_point", mount->point);
    add_fact(v, node, "mount_options", mount->options);
    add_fact(v, node, "filesystem_options", mount->super_options);
    if (!strcmp(mount->type, "btrfs"))
        add_btrfs_members(root, v, node, device);
    return node;
}

int filesystem_add(const struct sysroot *root, struct inventory *v, dev_t *device, const char *path)
{
    char resolved[PATH_MAX];
    struct mount mount;
    enum fact_status status = FACT_ABSENT;
    if (is_block_device(root, path, device))
        return INVENTORY_NONE;
    /* Resolves symbolic links in the path. In a captured tree the path is used unchanged. */
    bool known = is_this_machine(root) && realpath(path, resolved);
    if (!known) {
        int length = snprintf(resolved, sizeof resolved, "%s", path);
        known = length > 0 && (size_t)length < sizeof resolved && resolved[0] == '/';
    }
    if (known)
        status = mount_find(root, resolved, *device, &mount);
    if (status != FACT_OK) {
        int node = inventory_find(v, path);
        if (node != INVENTORY_NONE && v->nodes[node].kind == NODE_FILESYSTEM)
            return node;
        node = inventory_add_node(v, NODE_FILESYSTEM, path, NULL, inventory_find(v, "machine"));
        inventory_add(v, node, "type", "", "", MOUNT_FILE, status);
        return node;
    }
    if (!strcmp(mount.type, "devtmpfs"))
        return INVENTORY_NONE;
    if (!major(*device)) {
        dev_t real = device_below(root, v, &mount);
        *device = major(real) ? real : *device;
    }
    return add_mount_node(root, v, &mount, *device);
}
