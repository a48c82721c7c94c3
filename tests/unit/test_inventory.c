/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory: nodes by name and by path, the tree, facts, and growth. */
#include "check.h"

#include "facts/inventory.h"

static void nodes_and_paths(void)
{
    struct inventory v = {0};
    CHECK_INT(inventory_find(&v, "machine"), INVENTORY_NONE);
    CHECK_INT(inventory_above(&v, "/sys/devices/x"), INVENTORY_NONE);
    int top = inventory_add_node(&v, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
    int port = inventory_add_node(&v, NODE_PCI_BRIDGE, "0000:00:01.0",
                                  "/sys/devices/pci0000:00/0000:00:01.0", top);
    const char *drive_path = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0";
    CHECK_INT(inventory_above(&v, drive_path), port);
    int drive = inventory_add_node(&v, NODE_PCI_DEVICE, "0000:01:00.0", drive_path, port);
    CHECK_INT(inventory_at(&v, drive_path), drive);
    CHECK_INT(inventory_above(&v, drive_path), port); /* never itself */
    CHECK_INT(inventory_above(&v, "/sys/devices/pci0000:00/0000:00:01.00/x"), INVENTORY_NONE);
    char deep[256];
    snprintf(deep, sizeof deep, "%s/nvme/nvme0/nvme0n1", drive_path);
    CHECK_INT(inventory_above(&v, deep), drive);
    int twin = inventory_add_node(&v, NODE_OTHER, "0000:01:00.0", drive_path, top);
    CHECK_STR(v.nodes[twin].name, "0000:01:00.0#2");
    CHECK_INT(inventory_at(&v, drive_path), drive);
    int odd = inventory_add_node(&v, NODE_OTHER, "a\nb\x01", NULL, top);
    CHECK_STR(v.nodes[odd].name, "a?b?");
    inventory_free(&v);
}

static void moving(void)
{
    struct inventory v = {0};
    int top = inventory_add_node(&v, NODE_MACHINE, "m", NULL, INVENTORY_NONE);
    int a = inventory_add_node(&v, NODE_OTHER, "a", NULL, top);
    int b = inventory_add_node(&v, NODE_OTHER, "b", NULL, top);
    int c = inventory_add_node(&v, NODE_OTHER, "c", NULL, b);
    inventory_move(&v, a, c); /* m - b - c - a */
    CHECK_INT(v.nodes[top].first_child, b);
    CHECK_INT(v.nodes[top].last_child, b);
    CHECK_INT(v.nodes[c].first_child, a);
    CHECK_INT(v.nodes[a].parent, c);
    inventory_move(&v, b, a); /* would be below itself */
    CHECK_INT(v.nodes[b].parent, top);
    inventory_move(&v, a, top);
    CHECK_INT(v.nodes[c].first_child, INVENTORY_NONE);
    CHECK_INT(v.nodes[b].next_sibling, a);
    inventory_free(&v);
}

static void facts(void)
{
    struct inventory v = {0};
    int node = inventory_add_node(&v, NODE_DISK, "sda", NULL, INVENTORY_NONE);
    inventory_add(&v, node, "model", "  Fast\tDrive \x1b[2J ", "", "/sys/x", FACT_OK);
    CHECK_STR(inventory_value(&v, node, "model"), "Fast?Drive ?[2J");
    inventory_add(&v, node, "empty", " \n", "", "", FACT_OK);
    CHECK_INT(inventory_fact(&v, node, "empty")->status, FACT_INVALID);
    inventory_add(&v, node, "secret", "not shown", "", "", FACT_DENIED);
    CHECK(inventory_value(&v, node, "secret") == NULL);
    CHECK_STR(inventory_fact(&v, node, "secret")->value, "");
    inventory_add_number(&v, node, "size", UINT64_C(1) << 40, "bytes", "");
    CHECK(inventory_number(&v, node, "size") == 1099511627776.0);
    CHECK(isnan(inventory_number(&v, node, "model")));
    CHECK(isnan(inventory_number(&v, node, "nothing")));
    CHECK(inventory_fact(&v, INVENTORY_NONE, "model") == NULL);
    inventory_add(&v, INVENTORY_NONE, "x", "y", "", "", FACT_OK);
    CHECK_INT(v.fact_count, 4);
    inventory_add(&v, node, "path_\x1b[2J", "1", "", "/sys/class/net/a\nb", FACT_OK);
    CHECK_STR(inventory_value(&v, node, "path_?[2J"), "1");
    CHECK_STR(v.facts[4].key, "path_?[2J");
    CHECK_STR(v.facts[4].source, "/sys/class/net/a?b");
    struct inventory copy = {0};
    int there = inventory_copy_node(&copy, &v, node, INVENTORY_NONE);
    inventory_free(&v);
    CHECK_STR(inventory_value(&copy, there, "model"), "Fast?Drive ?[2J");
    CHECK_INT(copy.fact_count, 5);
    inventory_free(&copy);
}

static void many(void)
{
    struct inventory v = {0};
    enum { COUNT = 5000 };
    for (int i = 0; i < COUNT; i++) {
        char name[32], path[64];
        snprintf(name, sizeof name, "node%d", i);
        snprintf(path, sizeof path, "/sys/devices/%d", i);
        int node = inventory_add_node(&v, NODE_DISK, name, path, INVENTORY_NONE);
        inventory_add_number(&v, node, "number", (uint64_t)i, "", path);
    }
    long wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        char name[32], path[64];
        snprintf(name, sizeof name, "node%d", i);
        snprintf(path, sizeof path, "/sys/devices/%d/below/it", i);
        int node = inventory_find(&v, name);
        wrong += node != i || inventory_above(&v, path) != i ||
                 inventory_number(&v, node, "number") != i;
    }
    CHECK_INT(wrong, 0);
    CHECK(!v.failed);
    inventory_free(&v);
}

static void kinds(void)
{
    for (int kind = 0; kind < NODE_KINDS; kind++)
        CHECK_INT(node_kind_of(node_kind_name((enum node_kind)kind)), kind);
    CHECK_INT(node_kind_of("no such kind"), NODE_OTHER);
}

int main(void)
{
    nodes_and_paths();
    moving();
    facts();
    many();
    kinds();
    return check_result();
}
