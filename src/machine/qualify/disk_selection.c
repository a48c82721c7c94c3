/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the disks that are qualified, and collects what the inventory knows about each. */
#include "machine/qualify/disk_selection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/span.h"
#include "facts/machine_unseen.h"
#include "hw/disk/block.h"
#include "hw/disk/disk_serial.h"

/* Prefixes of devices that the inventory lists as disks but that are no drives of this machine: CD,
   floppy, network, memory. */
static const char *const not_own[] = {"sr",   "fd",   "nbd", "rbd",   "drbd", "zd",
                                      "ublk", "null", "mtd", "fake_", "ram"};

bool disk_is_own(const struct inventory *v, int node)
{
    const char *name = v->nodes[node].name, *transport = inventory_value(v, node, "transport");
    if (v->nodes[node].kind != NODE_DISK || disk_is_boot_area(name) ||
        disk_kind_is(transport, DISK_OF_NETWORK))
        return false;
    /* A card reader without a card is no disk. Any other disk without bytes is a broken one. */
    if (disk_kind_is(transport, DISK_BEHIND_BRIDGE) && !(inventory_number(v, node, "size") > 0))
        return false;
    for (size_t i = 0; i < sizeof not_own / sizeof *not_own; i++)
        if (!strncmp(name, not_own[i], strlen(not_own[i])))
            return false;
    return true;
}

/* ---- by name ---- */

/* Returns the first disk that has this serial number and is not called `other`. A disk that shows
   no serial number is found by that of its USB device. */
static int find_serial(const struct inventory *v, const char *serial, const char *other)
{
    for (int node = 0; node < v->node_count; node++) {
        if (!disk_is_own(v, node) || !strcmp(v->nodes[node].name, other))
            continue;
        const struct inventory_fact *own = disk_fact(v, node, "serial");
        const char *value =
            own && own->status == FACT_OK ? own->value : inventory_value(v, node, "usb_serial");
        if (value && !strcmp(value, serial))
            return node;
    }
    return INVENTORY_NONE;
}

int disk_find(const struct inventory *v, const struct sysroot *root, const char *name, int *node,
              struct err *e)
{
    struct stat st;
    char words[UNSEEN_BYTES], remedy[UNSEEN_BYTES];
    bool path = strchr(name, '/') != NULL;
    if (path && stat(name, &st))
        return err_set(e, ERR_USAGE, "%.200s: there is no such disk", name);
    if (path && !S_ISBLK(st.st_mode))
        return err_set(e, ERR_USAGE, "%.200s: it is no disk (cupel run measures files)", name);
    *node = path ? block_node(root, v, st.st_rdev) : inventory_find(v, name);
    if (*node == INVENTORY_NONE && !path)
        *node = find_serial(v, name, "");
    if (*node == INVENTORY_NONE && unseen(v, UNSEEN_DEVICES))
        return err_set(e, ERR_MACHINE, "%.200s: no disk can be found: %s; %s", name,
                       unseen_words(v, UNSEEN_DEVICES, words), unseen_remedy(v, remedy));
    if (*node == INVENTORY_NONE)
        return err_set(e, ERR_USAGE, "%.200s: there is no disk of that name or serial number",
                       name);
    if (v->nodes[*node].kind == NODE_PARTITION)
        return err_set(e, ERR_USAGE, "%.200s: it is a partition; the disk is %.60s", name,
                       v->nodes[*node].parent == INVENTORY_NONE
                           ? "another"
                           : v->nodes[v->nodes[*node].parent].name);
    enum node_kind kind = v->nodes[*node].kind;
    if (kind != NODE_DISK && kind != NODE_LOOP && kind != NODE_RAID && kind != NODE_MAPPER &&
        kind != NODE_MEMORY_DISK)
        return err_set(e, ERR_USAGE, "%.200s: it is no disk but a %s", name, node_kind_title(kind));
    return 0;
}

const char *disk_other_of_serial(const struct inventory *v, const char *serial, const char *name)
{
    int node = find_serial(v, serial, name);
    return node == INVENTORY_NONE ? NULL : v->nodes[node].name;
}

/* ---- the parts that carry a disk ---- */

const struct inventory_fact *disk_fact(const struct inventory *v, int node, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(v, node, key);
    int above = node == INVENTORY_NONE ? node : v->nodes[node].parent;
    while ((!fact || fact->status != FACT_OK) && above != INVENTORY_NONE &&
           node_kind_is(v->nodes[above].kind, KIND_CARRIES_DISK)) {
        const struct inventory_fact *other = inventory_fact(v, above, key);
        fact = other ? other : fact;
        above = v->nodes[above].parent;
    }
    return fact;
}

int disk_link(const struct inventory *v, int node)
{
    if (node == INVENTORY_NONE || v->nodes[node].kind != NODE_DISK ||
        strstr(v->nodes[node].path, "/virtio"))
        return INVENTORY_NONE;
    for (int above = v->nodes[node].parent; above != INVENTORY_NONE;
         above = v->nodes[above].parent) {
        if (node_kind_is(v->nodes[above].kind, KIND_LINKS_DISK) &&
            inventory_fact(v, above, "negotiated"))
            return above;
    }
    return INVENTORY_NONE;
}

static int sensor_below(const struct inventory *v, int node)
{
    for (int child = v->nodes[node].first_child; child != INVENTORY_NONE;
         child = v->nodes[child].next_sibling)
        if (v->nodes[child].kind == NODE_SENSOR && inventory_fact(v, child, "temperature"))
            return child;
    return INVENTORY_NONE;
}

int disk_thermometer(const struct inventory *v, int node)
{
    if (node == INVENTORY_NONE)
        return node;
    int sensor = sensor_below(v, node);
    for (int above = v->nodes[node].parent; sensor == INVENTORY_NONE && above != INVENTORY_NONE &&
                                            node_kind_is(v->nodes[above].kind, KIND_CARRIES_DISK);
         above = v->nodes[above].parent)
        sensor = inventory_value(v, above, "temperature") ? above : sensor_below(v, above);
    return sensor;
}

int disk_owner(const struct qualification *q, int node)
{
    const struct inventory *v = q->hardware;
    int owner = -1;
    if (node != INVENTORY_NONE && v->nodes[node].kind == NODE_SENSOR)
        node = v->nodes[node].parent;
    for (int disk = 0; node != INVENTORY_NONE && disk < v->node_count; disk++) {
        int above = disk;
        while (above != INVENTORY_NONE && above != node)
            above = v->nodes[above].parent;
        if (v->nodes[disk].kind != NODE_DISK || above != node)
            continue;
        int device = -1;
        for (size_t i = 0; i < q->device_count; i++)
            if (!strcmp(q->devices[i].name, v->nodes[disk].name))
                device = (int)i;
        if (device < 0 || owner >= 0)
            return -1;
        owner = device;
    }
    return owner;
}

/* ---- identity ---- */

static const char *kind_of(const struct inventory *v, int node)
{
    const struct inventory_fact *protocol = disk_fact(v, node, "protocol");
    const char *transport = inventory_value(v, node, "transport");
    const char *bus = inventory_value(v, node, "bus");
    switch (v->nodes[node].kind) {
    case NODE_LOOP:
        return "loop";
    case NODE_RAID:
        return "md";
    case NODE_MAPPER:
        return "dm";
    case NODE_MEMORY_DISK:
        return "memory";
    default:
        break;
    }
    /* A SATA drive on a SAS adapter counts as a SATA drive. */
    if (protocol && !strcmp(protocol->value, "sata"))
        return "sata";
    return transport ? transport : bus ? bus : "other";
}

static void copy_fact(const struct inventory *v, int node, const char *key, char *to, size_t size)
{
    const struct inventory_fact *fact = disk_fact(v, node, key);
    snprintf(to, size, "%s", fact && fact->status == FACT_OK ? fact->value : "");
}

void disk_describe(const struct inventory *v, int node, struct qualification_device *d)
{
    *d = (struct qualification_device){
        .limit_read = NAN, .temperature_begin = NAN, .temperature_max = NAN};
    double size = inventory_number(v, node, "size");
    int link = disk_link(v, node), thermometer = disk_thermometer(v, node);
    const char *negotiated = inventory_value(v, link, "negotiated");
    snprintf(d->name, sizeof d->name, "%s", v->nodes[node].name);
    snprintf(d->kind, sizeof d->kind, "%s", kind_of(v, node));
    copy_fact(v, node, "model", d->model, sizeof d->model);
    copy_fact(v, node, "serial", d->serial, sizeof d->serial);
    copy_fact(v, node, "firmware", d->firmware, sizeof d->firmware);
    snprintf(d->link, sizeof d->link, "%s", negotiated ? negotiated : "");
    static const char *const keys[] = {"bay", "slot"};
    d->slot[0] = '\0';
    for (int above = v->nodes[node].parent; above != INVENTORY_NONE && !d->slot[0];
         above = v->nodes[above].parent)
        for (size_t i = 0; i < sizeof keys / sizeof *keys && !d->slot[0]; i++)
            if (inventory_value(v, above, keys[i]))
                snprintf(d->slot, sizeof d->slot, "%s %s", keys[i],
                         inventory_value(v, above, keys[i]));
    d->place[0] = '\0';
    for (int above = node; above != INVENTORY_NONE && !d->place[0]; above = v->nodes[above].parent)
        if (inventory_value(v, above, "numa_node"))
            snprintf(d->place, sizeof d->place, "NUMA node %.20s",
                     inventory_value(v, above, "numa_node"));
    d->size = size > 0 ? (uint64_t)size : 0;
    d->temperature_begin = d->temperature_max = inventory_number(v, thermometer, "temperature");
}
