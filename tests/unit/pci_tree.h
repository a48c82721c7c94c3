/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sysfs tree with PCI functions, the PCI prober's run on it, and checks of the result. A test
 * program has one tree: begin, put_function for each, look, checks, end.
 */
#ifndef TESTS_UNIT_PCI_TREE_H
#define TESTS_UNIT_PCI_TREE_H

#include "check.h"
#include "pci_space.h"
#include "tree.h"

#include "hw/probers.h"

#define BUS "/sys/bus/pci/devices/"

static struct tree tree;
static struct inventory inventory;

/* ---- a tree of PCI functions ---- */

struct function {
    const char *above; /* below /sys/devices: "pci0000:40/0000:40:01.1" */
    const char *name;
    const struct pci_space *space;
    const char *best, *now; /* "16.0 GT/s PCIe" */
    const char *best_lanes, *lanes;
};

static inline void put(const struct function *f, const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "/sys/devices/%s/%s/%s", f->above, f->name, file);
    if (text)
        tree_file(&tree, path, text);
}

static inline void put_function(const struct function *f)
{
    char path[512], target[512];
    const uint8_t *b = f->space->bytes;
    snprintf(path, sizeof path, BUS "%s", f->name);
    snprintf(target, sizeof target, "../../../devices/%s/%s", f->above, f->name);
    tree_link(&tree, path, target);
    snprintf(path, sizeof path, "/sys/devices/%s/%s/", f->above, f->name);
    tree_folder(&tree, path);
    snprintf(target, sizeof target, "0x%02x%02x\n", b[1], b[0]);
    put(f, "vendor", target);
    snprintf(target, sizeof target, "0x%02x%02x\n", b[3], b[2]);
    put(f, "device", target);
    snprintf(target, sizeof target, "0x%02x%02x%02x\n", b[11], b[10], b[9]);
    put(f, "class", target);
    put(f, "revision", "0x02\n");
    put(f, "numa_node", "1\n");
    put(f, "max_link_speed", f->best);
    put(f, "max_link_width", f->best_lanes);
    put(f, "current_link_speed", f->now);
    put(f, "current_link_width", f->lanes);
    snprintf(path, sizeof path, "/sys/devices/%s/%s/config", f->above, f->name);
    tree_bytes(&tree, path, b, PCI_SPACE_BYTES);
}

static inline void look(const char *ids)
{
    struct probe p = {.root = &tree.root, .inventory = &inventory, .pci_ids = ids};
    inventory_free(&inventory);
    probe_top(&p);
    inventory_add_node(&inventory, NODE_NUMA, "node1", NULL, 0);
    look_at_pci(&p);
    CHECK(!inventory.failed);
}

static inline void value_is(const char *node, const char *key, const char *expected)
{
    const char *value = inventory_value(&inventory, inventory_find(&inventory, node), key);
    if (!value || !expected || strcmp(value, expected) != 0)
        fprintf(stderr, "%s %s:\n", node, key);
    CHECK_STR(value, expected);
}

/* Returns -1 if there is no such fact. */
static inline int status_of(const char *node, const char *key)
{
    const struct inventory_fact *f =
        inventory_fact(&inventory, inventory_find(&inventory, node), key);
    return f ? (int)f->status : -1;
}

static inline void parent_is(const char *node, const char *expected)
{
    int number = inventory_find(&inventory, node);
    CHECK(number != INVENTORY_NONE);
    if (number != INVENTORY_NONE)
        CHECK_STR(inventory.nodes[inventory.nodes[number].parent].name, expected);
}

/* ---- a root port and an NVMe drive ---- */

#define HOST "pci0000:40"
#define PORT "0000:40:01.1"
#define CARD "0000:41:00.0"

static struct pci_space port_space, card_space;
static struct function port, card;

static inline void begin(unsigned port_best, unsigned port_lanes, unsigned card_best,
                         unsigned card_lanes)
{
    tree_begin(&tree);
    space_begin(&port_space, 0x1022, 0x1483, 0x060400);
    space_bridge(&port_space, 0x40, 0x41);
    space_express(&port_space, ROOT_PORT, port_best, port_lanes, port_best, port_lanes);
    space_slot(&port_space, 12);
    space_begin(&card_space, 0x144d, 0xa80a, 0x010802);
    space_express(&card_space, ENDPOINT, card_best, card_lanes, card_best, card_lanes);
    port = (struct function){HOST, PORT, &port_space, NULL, NULL, NULL, NULL};
    card = (struct function){HOST "/" PORT, CARD, &card_space, NULL, NULL, NULL, NULL};
}

static inline void end(void)
{
    inventory_free(&inventory);
    tree_end(&tree);
}

static inline void link_of_port(const char *best, const char *lanes)
{
    port.best = port.now = best;
    port.best_lanes = port.lanes = lanes;
}

static inline void link_of_card(const char *best, const char *lanes, const char *now,
                                const char *use)
{
    card.best = best;
    card.best_lanes = lanes;
    card.now = now;
    card.lanes = use;
}

#endif
