/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCSI hosts; below those of Serial Attached SCSI the ports that something is plugged into,
 * expanders, and the ports below them. */
#include "hw/probers.h"

#include <stdio.h>
#include <string.h>

#include "hw/disk/internal.h"
#include "hw/sysroot/attribute.h"

#define HOSTS      "/sys/class/scsi_host"
#define SAS_HOSTS  "/sys/class/sas_host"
#define LEVELS_MAX 8 /* of expanders below each other */

static const struct attribute host_rows[] = {
    {"driver", ATTRIBUTE_TEXT, {"proc_name"}, 0, NULL, false},
    {"can_queue", ATTRIBUTE_NUMBER, {"can_queue"}, 0, NULL, true},
    {"queue_count", ATTRIBUTE_NUMBER, {"nr_hw_queues"}, 0, NULL, true},
};

static const struct attribute expander_rows[] = {
    {"vendor", ATTRIBUTE_TEXT, {"vendor_id"}, 0, NULL, true},
    {"model", ATTRIBUTE_TEXT, {"product_id"}, 0, NULL, false},
    {"firmware", ATTRIBUTE_TEXT, {"product_rev"}, 0, NULL, true},
};

/* ---- ports and expanders ---- */

static void add_ports(struct probe *p, int parent, const char *folder, unsigned level);

/* A port with nothing on it is left out: so is an expander's port back to its host. */
static void add_port(struct probe *p, int parent, const char *folder, const char *name,
                     unsigned level)
{
    struct sysroot_names names;
    char below[PROBE_FOLDER], path[160];
    sysroot_list(p->root, folder, &names);
    const char *drive = sas_find_name(&names, "end_device-");
    const char *expander = drive ? NULL : sas_find_name(&names, "expander-");
    int node = INVENTORY_NONE;
    if (drive || expander)
        node = inventory_add_node(p->inventory, NODE_SAS_PORT, name, folder, parent);
    if (node != INVENTORY_NONE)
        sas_add_link(p, node, folder, &names, drive ? drive : expander, expander);
    if (expander && sas_join(below, sizeof below, folder, expander)) {
        snprintf(path, sizeof path, "/sys/class/sas_expander/%s", expander);
        int hub = inventory_add_node(p->inventory, NODE_SAS_EXPANDER, expander, below, node);
        attributes_add(p->root, p->inventory, hub, path, expander_rows,
                       ATTRIBUTE_COUNT(expander_rows));
        add_ports(p, hub, below, level + 1);
    }
    sysroot_names_free(&names);
}

/* The ports in the folder of a host or an expander. */
static void add_ports(struct probe *p, int parent, const char *folder, unsigned level)
{
    struct sysroot_names names;
    char below[PROBE_FOLDER];
    if (level > LEVELS_MAX)
        return;
    sysroot_list(p->root, folder, &names);
    for (size_t i = 0; i < names.count; i++)
        if (!strncmp(names.names[i], "port-", 5) &&
            sas_join(below, sizeof below, folder, names.names[i]))
            add_port(p, parent, below, names.names[i], level);
    sysroot_names_free(&names);
}

/* ---- hosts ---- */

/* Every SATA port is a host of its own to SCSI; the port's node is enough. */
static bool is_ata(const char *folder)
{
    char *slash = strstr(folder, "/ata");
    return slash && slash[4] >= '0' && slash[4] <= '9';
}

void look_at_sas(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, HOSTS, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        char path[128], folder[PROBE_FOLDER];
        snprintf(path, sizeof path, HOSTS "/%s", name);
        if (sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK || is_ata(folder))
            continue;
        char *own = strstr(folder, "/scsi_host/"); /* .../host0/scsi_host/host0 */
        if (own)
            *own = '\0';
        int node = probe_add_below(p, NODE_SCSI_HOST, name, folder);
        attributes_add(p->root, p->inventory, node, path, host_rows, ATTRIBUTE_COUNT(host_rows));
        snprintf(path, sizeof path, SAS_HOSTS "/%s", name);
        if (sysroot_exists(p->root, path))
            add_ports(p, node, folder, 0);
    }
    sysroot_names_free(&names);
}
