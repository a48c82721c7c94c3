/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The health of disks that the block prober has found and that accept SCSI commands. */
#include "hw/disk/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/device_number.h"
#include "hw/disk/block.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

#define CLASS "/sys/class/block"

static bool is(const char *value, const char *word)
{
    return value && !strcmp(value, word);
}

static bool disk_has_file(const struct sysroot *root, const char *name, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, CLASS "/%s/%s", name, file);
    return sysroot_exists(root, path);
}

/* ---- which disks may be asked ---- */

enum disk_asking disk_asking_of(const struct sysroot *root, const struct inventory *v, int node)
{
    const char *name = v->nodes[node].name;
    bool bridge = disk_kind_is(inventory_value(v, node, "transport"), DISK_BEHIND_BRIDGE);
    /* Only a disk ("sda"), not a partition, a tape or an optical drive. */
    if (v->nodes[node].kind != NODE_DISK || !is(inventory_value(v, node, "bus"), "scsi") ||
        strncmp(name, "sd", 2) != 0)
        return DISK_NOT_ASKED;
    /* The page that a translation from SCSI to ATA has, and the vendor name that it uses. */
    bool ata = disk_has_file(root, name, "device/vpd_pg89") ||
               (!bridge && is(inventory_value(v, node, "vendor"), "ATA"));
    if (bridge && !ata)
        return DISK_NOT_ASKED;
    /* The disk's host, from the address "6:0:2:0"; while it recovers from errors it lets all
       commands wait. */
    char path[256], address[64], status[32];
    snprintf(path, sizeof path, CLASS "/%s/device", name);
    if (!is(inventory_value(v, node, "state"), "running") ||
        sysroot_link(root, path, address, sizeof address) != FACT_OK)
        return DISK_NOT_WELL;
    snprintf(path, sizeof path, "/sys/class/scsi_host/host%lu/state", strtoul(address, NULL, 10));
    if (sysroot_line(root, path, status, sizeof status) != FACT_OK ||
        strcmp(status, "running") != 0)
        return DISK_NOT_WELL;
    snprintf(path, sizeof path, CLASS "/%s/device/power/runtime_status", name);
    /* Where the kernel does not manage power there is no such file, or it says "unsupported". */
    if (sysroot_line(root, path, status, sizeof status) == FACT_OK &&
        (!strcmp(status, "suspended") || !strcmp(status, "suspending")))
        return DISK_SWITCHED_OFF;
    return ata ? DISK_ASK_ATA : DISK_ASK_SCSI;
}

enum disk_asking disk_asking(const struct probe *p, int node)
{
    return p->commands && !p->root->prefix[0] ? disk_asking_of(p->root, p->inventory, node)
                                              : DISK_NOT_ASKED;
}

/* ---- asking ---- */

void look_at_disk_health(struct probe *p)
{
    static const char *const reasons[] = {
        [DISK_NOT_WELL] = "not asked: the kernel does not run it",
        [DISK_SWITCHED_OFF] = "not asked: stopped to save power, and was not woken",
    };
    for (int node = 0; node < p->inventory->node_count; node++) {
        const char *name = p->inventory->nodes[node].name;
        enum disk_asking asking = disk_asking(p, node);
        if (asking == DISK_NOT_ASKED)
            continue;
        if (asking != DISK_ASK_ATA && asking != DISK_ASK_SCSI) {
            inventory_add(p->inventory, node, "health", "", "", reasons[asking], FACT_ABSENT);
            continue;
        }
        char path[256], text[32];
        dev_t device = 0; /* 0 is no disk's number: used where the kernel does not show it */
        snprintf(path, sizeof path, CLASS "/%s/dev", name);
        if (sysroot_line(p->root, path, text, sizeof text) == FACT_OK)
            (void)device_number_parse(text, &device);
        bool temperature =
            !disk_has_file(p->root, name, "device/hwmon"); /* otherwise a sensor shows it */
        struct scsi_disk disk;
        scsi_disk_open(&disk, name, device);
        if (asking == DISK_ASK_ATA)
            ata_ask_health(&disk, p->inventory, node, temperature);
        else
            scsi_ask_health(&disk, p->inventory, node, temperature);
        scsi_disk_close(&disk);
    }
}
