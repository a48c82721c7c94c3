/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a node of its kind for every device of /sys/class/block, and adds the facts of devices that
 * are made of other devices: md arrays, device mapper volumes, bcache.
 */
#include "hw/disk/block.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/span.h"
#include "base/text.h"
#include "hw/disk/disk_serial.h"
#include "hw/disk/internal.h"
#include "hw/probers.h"

/* ---- disks ---- */

/* SCSI, NVMe, MMC, DASD and virtio have different names for the same attribute. */
static const struct attribute identity_rows[] = {
    {"model", ATTRIBUTE_TEXT, {"device/model", "device/name", "device/devtype"}, 0, NULL, false},
    {"vendor",
     ATTRIBUTE_TEXT,
     {"device/vendor", "device/device/vendor", "device/manfid"},
     0,
     NULL,
     true},
};

static const struct attribute firmware_row = {
    "firmware", ATTRIBUTE_TEXT, {"device/firmware_rev", "device/fwrev"}, 0, NULL, true};
/* For SCSI only: on other devices the file `rev` means something else. */
static const struct attribute scsi_firmware_row = {"firmware", ATTRIBUTE_TEXT, {"device/rev"},
                                                   0,          NULL,           true};

static const struct attribute queue_rows[] = {
    {"nr_requests", ATTRIBUTE_NUMBER, {"queue/nr_requests"}, 1, "", true},
    {"rotational", ATTRIBUTE_YES_NO, {"queue/rotational"}, 0, NULL, false},
    {"write_cache", ATTRIBUTE_TEXT, {"queue/write_cache"}, 0, NULL, false},
    {"io_poll", ATTRIBUTE_YES_NO, {"queue/io_poll"}, 0, NULL, true},
    {"logical_block_size", ATTRIBUTE_NUMBER, {"queue/logical_block_size"}, 1, "bytes", false},
    {"physical_block_size", ATTRIBUTE_NUMBER, {"queue/physical_block_size"}, 1, "bytes", false},
    {"max_transfer", ATTRIBUTE_NUMBER, {"queue/max_sectors_kb"}, 1024, "bytes", false},
    {"zoned", ATTRIBUTE_TEXT, {"queue/zoned"}, 0, NULL, true},
};

/* For zoned devices only: elsewhere chunk_sectors means something else. A maximum of 0 zones means
   any number. */
static const struct attribute zone_rows[] = {
    {"zone_size", ATTRIBUTE_NUMBER, {"queue/chunk_sectors"}, 512, "bytes", true},
    {"zones", ATTRIBUTE_NUMBER, {"queue/nr_zones"}, 1, "", true},
    {"max_open_zones", ATTRIBUTE_NUMBER, {"queue/max_open_zones"}, 1, "", true},
    {"max_active_zones", ATTRIBUTE_NUMBER, {"queue/max_active_zones"}, 1, "", true},
};

static const struct attribute size_row = {"size", ATTRIBUTE_NUMBER, {"size"}, 512, "bytes", false};
static const struct attribute granularity_row = {
    "discard_granularity", ATTRIBUTE_NUMBER, {"queue/discard_granularity"}, 1, "bytes", true};
/* Every disk has a scheduler; volumes that only pass requests on have none. */
static const struct attribute disk_scheduler_row = {
    "scheduler", ATTRIBUTE_CHOICE, {"queue/scheduler"}, 0, NULL, false};
static const struct attribute volume_scheduler_row = {
    "scheduler", ATTRIBUTE_CHOICE, {"queue/scheduler"}, 0, NULL, true};

/* Returns true for a name without blanks and control characters. The kernel makes no others. */
static bool block_is_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '\x7f')
            return false;
    return *name && span_is_text(span_of(name));
}

/* Writes the path of a file of the device to `to` and returns it; "" when it does not fit. */
static char *block_file(const struct block_device *d, char to[BLOCK_FILE], const char *file)
{
    return sysroot_join(to, BLOCK_FILE, d->path, file);
}

static void block_add_rows(const struct block_device *d, const struct attribute *rows, size_t count)
{
    attributes_add(d->probe->root, d->probe->inventory, d->node, d->path, rows, count);
}

/* ---- kinds ---- */

/* The kinds, in the order in which the help lists them. If folders of several kinds lie above a
   disk, the first kind is its transport. */
const struct disk_kind disk_kinds[] = {
    {"nvme", NULL, DISK_HAS_HEALTH},
    {"sata", "/ata", 0},
    {"sas", "/end_device-", 0},
    {"scsi", NULL, 0},
    {"usb", "/usb", DISK_BEHIND_BRIDGE},
    {"virtio", NULL, 0},
    {"mmc", NULL, 0},
    {"xen", NULL, 0},
    {"fc", "/rport-", 0},
    {"ata", NULL, 0},
    {"iscsi", "/session", DISK_OF_NETWORK},
    {"loop", NULL, 0},
    {"md", NULL, 0},
    {"dm", NULL, 0},
    {"memory", NULL, 0},
    {"other", NULL, 0},
    {NULL, NULL, 0},
};

bool disk_kind_is(const char *name, enum disk_trait trait)
{
    for (const struct disk_kind *kind = disk_kinds; name && kind->name; kind++)
        if (!strcmp(kind->name, name))
            return kind->traits & trait;
    return false;
}

/* ---- identity ---- */

/* Adds vendor, model, serial number, bus and transport. For disks only. */
static void block_add_identity(const struct block_device *d, const struct block_family *family)
{
    struct inventory *v = d->probe->inventory;
    bool scsi = family->bus && !strcmp(family->bus, "scsi");
    char path[BLOCK_FILE], serial[DISK_SERIAL], bus[64];
    block_add_rows(d, identity_rows, ATTRIBUTE_COUNT(identity_rows));
    block_add_rows(d, scsi ? &scsi_firmware_row : &firmware_row, 1);
    if (d->probe->serials) {
        enum fact_status status = disk_serial_read(d->probe->root, d->path, serial, path);
        inventory_add(v, d->node, "serial", serial, "", path, status);
        if (status == FACT_ABSENT &&
            disk_usb_serial_read(d->probe->root, d->folder, serial, path) == FACT_OK && serial[0])
            inventory_add(v, d->node, "usb_serial", serial, "", path, FACT_OK);
    }
    if (family->bus) {
        inventory_add(v, d->node, "bus", family->bus, "", d->path, FACT_OK);
    } else {
        enum fact_status status =
            sysroot_link(d->probe->root, block_file(d, path, "device/subsystem"), bus, sizeof bus);
        inventory_add(v, d->node, "bus", bus, "", path, status);
    }
    /* The names of the folders above a disk show its transport. */
    for (const struct disk_kind *kind = disk_kinds; scsi && kind->name; kind++) {
        const char *found = kind->folder ? strstr(d->folder, kind->folder) : NULL;
        if (!found || !strchr("0123456789", found[strlen(kind->folder)]))
            continue;
        inventory_add(v, d->node, "transport", kind->name, "", d->folder, FACT_OK);
        break;
    }
}

/* ---- request queue ---- */

static void block_add_zones(const struct block_device *d)
{
    char path[BLOCK_FILE], model[32];
    enum fact_status status =
        sysroot_line(d->probe->root, block_file(d, path, "queue/zoned"), model, sizeof model);
    if (status == FACT_OK && (!strcmp(model, "host-managed") || !strcmp(model, "host-aware")))
        block_add_rows(d, zone_rows, ATTRIBUTE_COUNT(zone_rows));
}

/* Adds size, request queue, cache, discard and block sizes. Called for every device that takes
   requests. */
static void block_add_queue(const struct block_device *d, const struct block_family *family)
{
    bool disk = family->kind == NODE_DISK;
    block_add_rows(d, &size_row, 1);
    block_add_rows(d, disk ? &disk_scheduler_row : &volume_scheduler_row, 1);
    block_add_rows(d, queue_rows, ATTRIBUTE_COUNT(queue_rows));
    block_add_zones(d);
    char path[BLOCK_FILE], text[32];
    enum fact_status status = sysroot_line(
        d->probe->root, block_file(d, path, "queue/discard_max_bytes"), text, sizeof text);
    if (status == FACT_OK && strspn(text, "0123456789") != strlen(text))
        status = FACT_INVALID;
    const char *answer = !text[0] ? "" : strcmp(text, "0") != 0 ? "yes" : "no";
    if (status != FACT_ABSENT)
        inventory_add(d->probe->inventory, d->node, "discard", answer, "", path, status);
    if (status == FACT_OK && !strcmp(answer, "yes"))
        block_add_rows(d, &granularity_row, 1);
    /* There is one folder for each hardware queue; devices that only pass requests on have none. */
    struct sysroot_names queues;
    status = sysroot_list(d->probe->root, block_file(d, path, "mq"), &queues);
    if (status == FACT_OK && queues.count)
        inventory_add_number(d->probe->inventory, d->node, "queue_count", queues.count, "", path);
    else if (status == FACT_DENIED)
        inventory_add(d->probe->inventory, d->node, "queue_count", "", "", path, status);
    sysroot_names_free(&queues);
}

/* ---- block devices ---- */

typedef void member_function(const struct block_device *d, const char *member);

/* Adds a list of the members such as "sda1, sdb1", then the facts that `each` adds for every
   member. */
static void add_members(const struct block_device *d, member_function *each)
{
    char path[BLOCK_FILE];
    struct sysroot_names members;
    struct text list = {0};
    enum fact_status status = sysroot_list(d->probe->root, block_file(d, path, "slaves"), &members);
    for (size_t i = 0; i < members.count; i++)
        text_addf(&list, "%s%s", i ? ", " : "", members.names[i]);
    if (status == FACT_OK && !members.count)
        status = FACT_ABSENT;
    if (list.failed)
        d->probe->inventory->failed = true;
    inventory_add(d->probe->inventory, d->node, "members", list.data, "", path, status);
    for (size_t i = 0; each && i < members.count; i++)
        if (block_is_name(members.names[i]))
            each(d, members.names[i]);
    text_free(&list);
    sysroot_names_free(&members);
}

/* ---- md (admin-guide/md.rst of the kernel's documentation) ---- */

static void add_raid_member(const struct block_device *d, const char *member)
{
    char key[BLOCK_FILE / 2], file[BLOCK_FILE / 2];
    snprintf(key, sizeof key, "member_%s", member);
    snprintf(file, sizeof file, "md/dev-%s/state", member);
    const struct attribute row = {key, ATTRIBUTE_TEXT, {file}, 0, NULL, false};
    attributes_add(d->probe->root, d->probe->inventory, d->node, d->path, &row, 1);
}

static void block_add_raid(const struct block_device *d)
{
    char path[BLOCK_FILE], text[64], *end = text;
    sysroot_line(d->probe->root, block_file(d, path, "md/sync_completed"), text, sizeof text);
    /* The file has "1000 / 4000" sectors while members are synchronised, otherwise "none". A number
       that is too large becomes the largest one. */
    unsigned long long done = 0, all = 0;
    if (isdigit((unsigned char)text[0]))
        done = strtoull(text, &end, 10);
    if (end != text && !strncmp(end, " / ", 3) && isdigit((unsigned char)end[3]))
        all = strtoull(end + 3, &end, 10);
    if (all && !*end && done <= all)
        inventory_addf(d->probe->inventory, d->node, "sync_progress", "%", path, "%.1f",
                       100.0 * (double)done / (double)all);
    add_members(d, add_raid_member);
}

/* ---- device mapper ---- */

/* Adds the state of a path, such as "running, active/optimized": it is the kernel's state of the
   path's device, since multipathd's own state is not in /sys. */
static void add_mapper_path(const struct block_device *d, const char *member)
{
    static const char *const access_files[] = {"device/access_state", "ana_state"};
    char key[BLOCK_FILE / 2], source[BLOCK_FILE], path[BLOCK_FILE], state[64], access[64];
    snprintf(key, sizeof key, "path_%s", member);
    snprintf(source, sizeof source, BLOCK_CLASS "/%s/device/state", member);
    enum fact_status status = sysroot_line(d->probe->root, source, state, sizeof state);
    enum fact_status known = FACT_ABSENT;
    for (size_t i = 0; known == FACT_ABSENT && i < ATTRIBUTE_COUNT(access_files); i++) {
        snprintf(path, sizeof path, BLOCK_CLASS "/%s/%s", member, access_files[i]);
        known = sysroot_line(d->probe->root, path, access, sizeof access);
    }
    if (status == FACT_OK && known == FACT_OK)
        inventory_addf(d->probe->inventory, d->node, key, "", source, "%s, %s", state, access);
    else
        inventory_add(d->probe->inventory, d->node, key, state, "", source, status);
}

static void block_add_mapper(const struct block_device *d)
{
    /* The UUID of a volume begins with its kind. The part after it may identify the disk, and is
       not shown. */
    char path[BLOCK_FILE], uuid[256];
    enum fact_status status =
        sysroot_line(d->probe->root, block_file(d, path, "dm/uuid"), uuid, sizeof uuid);
    size_t head = strcspn(uuid, "-");
    const char *rest = uuid[head] ? uuid + head + 1 : uuid + head;
    uuid[head] = '\0';
    if (status == FACT_OK && !uuid[0])
        status = FACT_ABSENT;
    inventory_add(d->probe->inventory, d->node, "type", uuid, "", path, status);
    /* The middle of "CRYPT-LUKS2-..." is the format of encryption or verification. */
    if (!strcmp(uuid, "CRYPT") && *rest)
        inventory_addf(d->probe->inventory, d->node, "format", "", path, "%.*s",
                       (int)strcspn(rest, "-"), rest);
    /* LVM writes "LVM-", two identifiers of 32 characters, and for hidden volumes below a volume
       their role: "-tpool", "-real", "-cow". */
    if (!strcmp(uuid, "LVM") && strlen(rest) > 64 + 1 && rest[64] == '-')
        inventory_add(d->probe->inventory, d->node, "layer", rest + 65, "", path, FACT_OK);
    bool multipath = !strcmp(uuid, "mpath");
    add_members(d, multipath ? add_mapper_path : NULL);
}

/* ---- bcache ---- */

static void block_add_bcache(const struct block_device *d)
{
    inventory_add(d->probe->inventory, d->node, "type", "bcache", "", d->path, FACT_OK);
    add_members(d, NULL);
}

/* ---- disks whose driver is not that of a PCI device or SCSI host above them ---- */

static void block_add_driver(const struct block_device *d)
{
    char path[BLOCK_FILE], driver[64];
    if (sysroot_link(d->probe->root, block_file(d, path, "device/driver"), driver, sizeof driver) ==
        FACT_OK)
        inventory_add(d->probe->inventory, d->node, "driver", driver, "", path, FACT_OK);
}

static const struct attribute numa_row = {
    "numa_node", ATTRIBUTE_NUMBER, {"device/numa_node"}, 1, NULL, true};

/* Moves persistent memory below its NUMA node, to which it belongs directly, if the kernel shows
   the node's number (-1: not known). */
static void block_add_persistent(const struct block_device *d)
{
    uint64_t number;
    char name[32];
    block_add_driver(d);
    if (!attribute_number(d->probe->root, d->path, numa_row.files[0], &number))
        return;
    block_add_rows(d, &numa_row, 1);
    snprintf(name, sizeof name, "node%llu", (unsigned long long)number);
    int node = inventory_find(d->probe->inventory, name);
    if (node != INVENTORY_NONE)
        inventory_move(d->probe->inventory, d->node, node);
}

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

/* The drivers of dm, md and loop make devices of one kind, whatever follows the prefix of the name.
   loop and nbd make devices in advance, which are empty until they are set up. */
static const struct block_family families[] = {
    {"nvme", NODE_DISK, "nvme", NULL, NULL, 0, NULL},
    {"sd", NODE_DISK, "scsi", NULL, ROWS(scsi_rows), NULL},
    {"sr", NODE_DISK, "scsi", NULL, ROWS(scsi_rows), NULL},
    {"vd", NODE_DISK, "virtio", NULL, NULL, 0, block_add_driver},
    {"xvd", NODE_DISK, "xen", NULL, NULL, 0, block_add_driver},
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
    {"pmem", NODE_MEMORY_DISK, NULL, NULL, ROWS(pmem_rows), block_add_persistent},
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
    if (d->node == INVENTORY_NONE) /* the device has disappeared meanwhile */
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

/* Examines the devices in the order of their names. A disk comes before its partitions, so that
   they find its node. */
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
