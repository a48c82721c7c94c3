/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes of the machine's state between two inventories: governor, frequency, throttling, a
 * temperature over its limit, a link that trained again, new AER, media or memory errors. Each rule
 * is a row: kind of node, key, how the two values are compared, and how the change is called in
 * reports. Pure.
 */
#ifndef CUPEL_HW_MONITOR_INVENTORY_CHANGE_H
#define CUPEL_HW_MONITOR_INVENTORY_CHANGE_H

#include <stddef.h>

#include "facts/inventory.h"

struct change {
    char node[48];
    char key[40];
    /* the change: "nvme0: its PCIe link changed from 16.0 GT/s x4 to 8.0 GT/s x4" */
    char text[200];
};

/* Writes up to `max` changes; returns their number. Nodes are matched by name; a node that
   disappeared is a change, a new one is not. */
size_t changes_find(const struct inventory *before, const struct inventory *after,
                    struct change changes[], size_t max);

#endif
