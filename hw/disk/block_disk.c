/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of a single block device: its maker, how it is attached, and its request queue. */
#include <string.h>

#include "base/span.h"
#include "hw/disk/block.h"
#include "hw/disk/disk_serial.h"
#include "hw/disk/internal.h"

/* SCSI, NVMe, MMC, DASD and virtio use different names for the same thing. */
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
/* The file `rev` means something else on other devices than SCSI. */
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

/* For zoned devices; elsewhere chunk_sectors means something else. A maximum of 0 zones means any
   number. */
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

static void block_add_rows(const struct block_device *d, const struct attribute *rows, size_t count)
{
    attributes_add(d->probe->root, d->probe->inventory, d->node, d->path, rows, count);
}

/* ---- kinds ---- */

/* In the order of the help. If folders of several kinds lie above a disk, the first one is its
   transport. */
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

void block_add_identity(const struct block_device *d, const struct block_family *family)
{
    struct inventory *v = d->probe->inventory;
    bool scsi = family->bus && !strcmp(family->bus, "scsi");
    char path[BLOCK_FILE], serial[DISK_SERIAL], bus[64];
    block_add_rows(d, identity_rows, ATTRIBUTE_COUNT(identity_rows));
    block_add_rows(d, scsi ? &scsi_firmware_row : &firmware_row, 1);
    if (d->probe->serials) {
        enum fact_status status = disk_serial_read(d->probe->root, d->path, serial, path);
        inventory_add(v, d->node, "serial", serial, "", path, status);
    }
    if (family->bus) {
        inventory_add(v, d->node, "bus", family->bus, "", d->path, FACT_OK);
    } else {
        enum fact_status status =
            sysroot_link(d->probe->root, block_file(d, path, "device/subsystem"), bus, sizeof bus);
        inventory_add(v, d->node, "bus", bus, "", path, status);
    }
    /* The folders above a disk show its transport. */
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

void block_add_queue(const struct block_device *d, const struct block_family *family)
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
