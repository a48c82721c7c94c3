/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chips that libsensors finds, each below the device that it measures. */
#include <sensors/sensors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/probers.h"
#include "hw/sensor/internal.h"

#define HWMON_FOLDER "/sys/class/hwmon"
#define CHIPS_MAX    1024
#define DEVICES_MAX  4

/* The disk of a drive whose chip belongs to its SCSI device: the disk lies below the device. */
static int disk_of(struct probe *p, const char *device)
{
    char path[PROBE_FOLDER + 8];
    struct sysroot_names names;
    sysroot_join(path, sizeof path, device, "block");
    sysroot_list(p->root, path, &names);
    int disk = names.count ? inventory_find(p->inventory, names.names[0]) : INVENTORY_NONE;
    sysroot_names_free(&names);
    return disk;
}

/* The node that the chip measures: that of nvme0 for
   /sys/devices/.../0000:01:00.0/nvme/nvme0/hwmon3. */
static int parent_of(struct probe *p, const sensors_chip_name *name, const char *folder)
{
    char device[PROBE_FOLDER], package[32];
    memcpy(device, folder, strlen(folder) + 1); /* a folder has at most this length */
    for (int i = 0; i < 2; i++) { /* removes "/hwmon3", and "/hwmon" above it if it is there */
        char *slash = strrchr(device, '/');
        if (slash && !strncmp(slash, "/hwmon", 6))
            *slash = '\0';
    }
    snprintf(package, sizeof package, "package%d", name->addr);
    int parent = INVENTORY_NONE;
    if (!strcmp(name->prefix, "coretemp"))
        parent = inventory_find(p->inventory, package);
    int itself = inventory_at(p->inventory, device);
    bool is_disk = itself != INVENTORY_NONE &&
                   node_kind_is(p->inventory->nodes[itself].kind, KIND_CARRIES_DISK);
    if (parent == INVENTORY_NONE && !is_disk)
        parent = disk_of(p, device);
    if (parent == INVENTORY_NONE)
        parent = itself;
    if (parent == INVENTORY_NONE)
        parent = inventory_above(p->inventory, device);
    return parent == INVENTORY_NONE ? probe_top(p) : parent;
}

/* Shows a capture the files that the library read to name the chip, from device to device until it
   knew the bus. */
static void look_again(struct probe *p, const char *chip)
{
    char folder[PROBE_FOLDER], path[PROBE_FOLDER + 16], text[64];
    if (!p->root->watcher)
        return;
    snprintf(folder, sizeof folder, "%s", chip);
    for (int depth = 0; depth < DEVICES_MAX; depth++) {
        snprintf(path, sizeof path, "%s/name", folder);
        sysroot_line(p->root, path, text, sizeof text);
        snprintf(path, sizeof path, "%s/subsystem", folder);
        sysroot_link(p->root, path, text, sizeof text);
        snprintf(path, sizeof path, "%s/device", folder);
        if (sysroot_link(p->root, path, text, sizeof text) != FACT_OK ||
            sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
            return;
    }
}

struct found {
    const sensors_chip_name *name;
};

static int compare_found(const void *a, const void *b)
{
    return strverscmp(((const struct found *)a)->name->path, ((const struct found *)b)->name->path);
}

/* Called while the library is open. The library lists the chips in no certain order. */
static void add_chips(void *context)
{
    struct probe *p = context;
    struct found chips[CHIPS_MAX];
    size_t count = 0;
    int number = 0;
    while (count < CHIPS_MAX && (chips[count].name = sensors_get_detected_chips(NULL, &number)))
        count++;
    if (count)
        qsort(chips, count, sizeof *chips, compare_found);
    for (size_t i = 0; i < count; i++) {
        const sensors_chip_name *name = chips[i].name;
        char shown[96], path[PROBE_FOLDER], folder[PROBE_FOLDER];
        sensor_library_path(p->root, name->path, path, sizeof path);
        if (!*path || sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
            continue;
        if (sensors_snprintf_chip_name(shown, sizeof shown, name) < 0)
            snprintf(shown, sizeof shown, "%.90s", name->prefix);
        look_again(p, folder);
        int parent = parent_of(p, name, folder);
        int node = inventory_add_node(p->inventory, NODE_SENSOR, shown, folder, parent);
        sensor_chip_add_facts(p, node, name, path);
    }
    if (count)
        inventory_add_number(p->inventory, probe_top(p), "sensors", count, "", HWMON_FOLDER);
    else
        inventory_add(p->inventory, probe_top(p), "sensors", "", "", HWMON_FOLDER, FACT_ABSENT);
}

void look_at_sensors(struct probe *p)
{
    struct sysroot_names names;
    enum fact_status status = sysroot_list(p->root, HWMON_FOLDER, &names);
    sysroot_names_free(&names);
    if (status == FACT_OK) {
        switch (sensor_library_use(p->root, add_chips, p)) {
        case SENSOR_LIBRARY_DONE:
            return;
        case SENSOR_LIBRARY_NO_MEMORY:
            p->inventory->failed = true;
            return;
        case SENSOR_LIBRARY_REFUSED:
        case SENSOR_LIBRARY_FAILED:
            status = FACT_INVALID;
        }
    }
    inventory_add(p->inventory, probe_top(p), "sensors", "", "", HWMON_FOLDER, status);
}
