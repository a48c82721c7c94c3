/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the names that kernel lines use for the parts of a target. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "hw/log/internal.h"

static void add(struct log_names *to, const char *name, size_t length)
{
    if (length < 3 || length >= sizeof *to->names || to->count == LOG_NAMES_MAX)
        return;
    for (size_t i = 0; i < to->count; i++)
        if (strlen(to->names[i]) == length && !memcmp(to->names[i], name, length))
            return;
    memcpy(to->names[to->count], name, length);
    to->names[to->count++][length] = '\0';
}

/*
 * Adds the names of the folders above a block device. They are the names of everything that the
 * device is attached to:
 * /sys/devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda. A folder whose
 * name has no number, such as "block", only groups others and is left out, unless it is the device
 * itself. The root complex is left out too, because all devices share it.
 */
static void add_folders(struct log_names *to, const struct sysroot *root, const char *link)
{
    char folder[PATH_MAX];
    if (sysroot_folder(root, link, folder, sizeof folder) != FACT_OK ||
        strncmp(folder, "/sys/devices/", 13) != 0)
        return;
    bool is_device = false;
    for (const char *at = folder + 13; *at; at += strspn(at, "/")) {
        size_t length = strcspn(at, "/");
        if ((is_device || strcspn(at, "0123456789") < length) && strncmp(at, "pci0", 4) != 0)
            add(to, at, length);
        is_device = length == 5 && !strncmp(at, "block", 5);
        at += length;
    }
}

void log_names_of_device(struct log_names *to, const struct sysroot *root, dev_t device)
{
    char link[64];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device), minor(device));
    add_folders(to, root, link);
}

void log_names_of_path(struct log_names *to, const struct sysroot *root, const struct inventory *v,
                       const struct data_path *path)
{
    for (size_t i = 0; i < path->part_count; i++) {
        const struct inventory_node *n = &v->nodes[path->parts[i].node];
        char link[128];
        switch (n->kind) {
        case NODE_PCI_HOST: /* all devices share these, or kernel lines do not use their names */
        case NODE_NUMA:
        case NODE_CPU_PACKAGE:
        case NODE_MEMORY:
        case NODE_MACHINE:
        case NODE_FILESYSTEM:
        case NODE_REMOTE:
        case NODE_COMPONENT:
            break;
        default:
            if (!strncmp(n->name, DATA_PATH_SERVER, strlen(DATA_PATH_SERVER)))
                break;
            snprintf(link, sizeof link, "/sys/class/block/%.60s", n->name);
            add_folders(to, root, link); /* adds nothing unless the part is a block device */
            add(to, n->name, strlen(n->name));
            break;
        }
    }
}
