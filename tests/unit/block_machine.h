/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine with block devices, for tests of probers: its files, the inventory made from them, and
 * checks of that inventory. Call machine_begin first and machine_end last.
 */
#ifndef TESTS_UNIT_BLOCK_MACHINE_H
#define TESTS_UNIT_BLOCK_MACHINE_H

#include "check.h"

#include <string.h>

#include "hw/prober.h"
#include "hw/probers.h"
#include "tree.h"

#define MACHINE_PCI     "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0"
#define MACHINE_VIRTUAL "/sys/devices/virtual/block"

struct machine {
    struct tree tree;
    struct inventory inventory;
    struct probe probe;
};

static inline void machine_begin(struct machine *m)
{
    *m = (struct machine){0};
    tree_begin(&m->tree);
    m->probe = (struct probe){.root = &m->tree.root, .inventory = &m->inventory};
}

static inline void machine_look(struct machine *m)
{
    look_at_block(&m->probe);
    CHECK(!m->inventory.failed);
}

static inline void machine_end(struct machine *m)
{
    inventory_free(&m->inventory);
    tree_end(&m->tree);
}

/* Formats a path into `to` and returns it. */
static inline char *machine_path(char to[TREE_PATH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline char *machine_path(char to[TREE_PATH], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, TREE_PATH, format, arguments);
    va_end(arguments);
    return to;
}

/* Writes a file below a device's folder. */
static inline void machine_put(struct machine *m, const char *folder, const char *file,
                               const char *text)
{
    char path[TREE_PATH];
    machine_path(path, "%s/%s", folder, file);
    tree_file(&m->tree, path, text);
}

/* Makes the folder of a device and the two links to it. */
static inline void machine_device(struct machine *m, const char *above, const char *name,
                                  unsigned major_number, unsigned minor_number)
{
    char folder[TREE_PATH], link[TREE_PATH], target[TREE_PATH];
    machine_path(folder, "%s/%s", above, name);
    machine_path(target, "../..%s", folder + strlen("/sys"));
    machine_path(link, "/sys/class/block/%s", name);
    tree_link(&m->tree, link, target);
    machine_path(link, "/sys/dev/block/%u:%u", major_number, minor_number);
    tree_link(&m->tree, link, target);
    char number[32];
    snprintf(number, sizeof number, "%u:%u\n", major_number, minor_number);
    machine_put(m, folder, "dev", number);
}

/* Makes the queue files that every whole device has. */
static inline void machine_queue(struct machine *m, const char *folder, const char *scheduler)
{
    machine_put(m, folder, "size", "7501476528\n");
    if (scheduler) {
        machine_put(m, folder, "queue/scheduler", scheduler);
        machine_put(m, folder, "queue/nr_requests", "1023\n");
        machine_put(m, folder, "mq/0/cpu_list", "0\n");
        machine_put(m, folder, "mq/1/cpu_list", "1\n");
    }
    machine_put(m, folder, "queue/rotational", "0\n");
    machine_put(m, folder, "queue/write_cache", "write back\n");
    machine_put(m, folder, "queue/io_poll", "1\n");
    machine_put(m, folder, "queue/logical_block_size", "512\n");
    machine_put(m, folder, "queue/physical_block_size", "4096\n");
    machine_put(m, folder, "queue/max_sectors_kb", "128\n");
    machine_put(m, folder, "queue/zoned", "none\n");
    machine_put(m, folder, "queue/discard_max_bytes", "2199023255040\n");
    machine_put(m, folder, "queue/discard_granularity", "4096\n");
}

static inline void machine_partition(struct machine *m, const char *disk, const char *name,
                                     unsigned minor_number)
{
    char folder[TREE_PATH];
    machine_device(m, disk, name, 259, minor_number);
    machine_path(folder, "%s/%s", disk, name);
    machine_put(m, folder, "partition", "1\n");
    machine_put(m, folder, "start", "2048\n");
    machine_put(m, folder, "size", "2097152\n");
}

static inline void machine_member(struct machine *m, const char *folder, const char *name)
{
    char path[TREE_PATH];
    machine_path(path, "%s/slaves/%s", folder, name);
    tree_link(&m->tree, path, "../../somewhere");
}

/* ---- the inventory ---- */

static inline int machine_node(const struct machine *m, const char *name, enum node_kind kind)
{
    int found = inventory_find(&m->inventory, name);
    CHECK(found != INVENTORY_NONE);
    if (found == INVENTORY_NONE)
        fprintf(stderr, "  no node %s\n", name);
    else
        CHECK_INT(m->inventory.nodes[found].kind, kind);
    return found;
}

static inline void machine_value_is(const struct machine *m, const char *name, const char *key,
                                    const char *value, const char *unit)
{
    const struct inventory_fact *fact =
        inventory_fact(&m->inventory, inventory_find(&m->inventory, name), key);
    CHECK(fact != NULL);
    if (!fact) {
        fprintf(stderr, "  no fact %s of %s\n", key, name);
        return;
    }
    CHECK_STR(fact->value, value);
    CHECK_STR(fact->unit, unit);
    CHECK_INT(fact->status, FACT_OK);
    CHECK(!strncmp(fact->source, "/sys/", 5));
}

static inline void machine_status_is(const struct machine *m, const char *name, const char *key,
                                     enum fact_status status)
{
    const struct inventory_fact *fact =
        inventory_fact(&m->inventory, inventory_find(&m->inventory, name), key);
    CHECK(fact != NULL);
    if (fact)
        CHECK_INT(fact->status, status);
    else
        fprintf(stderr, "  no fact %s of %s\n", key, name);
}

static inline bool machine_tells(const struct machine *m, const char *name, const char *key)
{
    return inventory_fact(&m->inventory, inventory_find(&m->inventory, name), key);
}

static inline void machine_parent_is(const struct machine *m, const char *name, const char *parent)
{
    int found = inventory_find(&m->inventory, name);
    CHECK(found != INVENTORY_NONE);
    if (found != INVENTORY_NONE)
        CHECK_STR(m->inventory.nodes[m->inventory.nodes[found].parent].name, parent);
}

#endif
