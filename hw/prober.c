/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for all probers: the machine's node, and nodes for devices by their folders. */
#include "hw/prober.h"

#include <string.h>

int probe_top(struct probe *p)
{
    int top = inventory_find(p->inventory, "machine");
    return top != INVENTORY_NONE
               ? top
               : inventory_add_node(p->inventory, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
}

int probe_add_below(struct probe *p, enum node_kind kind, const char *name, const char *folder)
{
    static const char devices[] = "/sys/devices/";
    bool known = !strncmp(folder, devices, sizeof devices - 1);
    int parent = known ? inventory_above(p->inventory, folder) : INVENTORY_NONE;
    return inventory_add_node(p->inventory, kind, name, known ? folder : NULL,
                              parent == INVENTORY_NONE ? probe_top(p) : parent);
}

int probe_add_device(struct probe *p, enum node_kind kind, const char *name, const char *path,
                     char *folder)
{
    folder[0] = '\0';
    if (sysroot_folder(p->root, path, folder, PROBE_FOLDER) != FACT_OK)
        return INVENTORY_NONE;
    return probe_add_below(p, kind, name, folder);
}
