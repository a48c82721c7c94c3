/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine for tests of data paths: an inventory built by hand, the files that the path reads, and
 * the path found last. Limits are round numbers in MB/s, so that sums can be checked mentally. Call
 * begin first and end last.
 */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "hw/path/data_path.h"
#include "tree.h"

#define MOUNTS "/proc/self/mountinfo"
#define MB     1e6

struct machine {
    struct tree tree;
    struct inventory v;
    struct data_path path;
};

static inline void begin(struct machine *m)
{
    tree_begin(&m->tree);
    m->v = (struct inventory){0};
    inventory_add_node(&m->v, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
}

static inline void end(struct machine *m)
{
    CHECK(!m->v.failed);
    inventory_free(&m->v);
    tree_end(&m->tree);
}

/* Adds a node below another; its folder is made from both names. `limit` in MB/s, 0: no link. */
static inline int add(struct machine *m, enum node_kind kind, const char *name, const char *parent,
                      double limit)
{
    int above = inventory_find(&m->v, parent);
    char folder[512];
    const char *start = above != INVENTORY_NONE ? m->v.nodes[above].path : "";
    snprintf(folder, sizeof folder, "%s/%s", *start ? start : "/sys/devices", name);
    int node = inventory_add_node(&m->v, kind, name, folder, above);
    if (limit > 0)
        inventory_addf(&m->v, node, "limit", "bytes/s", "test", "%.0f", limit * MB);
    return node;
}

static inline void fact(struct machine *m, const char *node, const char *key, const char *value)
{
    inventory_add(&m->v, inventory_find(&m->v, node), key, value, "", "test", FACT_OK);
}

/* Adds a volume, array or bond. */
static inline void add_volume(struct machine *m, enum node_kind kind, const char *name,
                              const char *members)
{
    add(m, kind, name, "machine", 0);
    if (members)
        fact(m, name, "members", members);
}

static inline void add_number(struct machine *m, const char *number, const char *name)
{
    char path[64], target[600];
    snprintf(path, sizeof path, "/sys/dev/block/%s", number);
    snprintf(target, sizeof target, "../..%s",
             m->v.nodes[inventory_find(&m->v, name)].path + strlen("/sys"));
    tree_link(&m->tree, path, target);
}

static inline bool find(struct machine *m, const char *name)
{
    return data_path_of_name(&m->path, &m->tree.root, &m->v, name);
}

static inline int part(const struct machine *m, const char *name)
{
    for (size_t p = 0; p < m->path.part_count; p++)
        if (!strcmp(m->v.nodes[m->path.parts[p].node].name, name))
            return (int)p;
    return -1;
}

static inline bool has_edge(const struct machine *m, const char *from, const char *to)
{
    for (size_t e = 0; e < m->path.edge_count; e++)
        if (m->path.edges[e].from == part(m, from) && m->path.edges[e].to == part(m, to))
            return part(m, from) >= 0 && part(m, to) >= 0;
    return false;
}

static inline const char *limiting(const struct machine *m, int number)
{
    return number < 0 ? "none" : m->v.nodes[m->path.parts[number].node].name;
}

static inline void check_limits(const struct machine *m, double read, const char *limits_read,
                                double write, const char *limits_write)
{
    CHECK(isnan(read) ? isnan(m->path.limit_read)
                      : check_is_near(m->path.limit_read, read * MB, 1e-9));
    CHECK(isnan(write) ? isnan(m->path.limit_write)
                       : check_is_near(m->path.limit_write, write * MB, 1e-9));
    CHECK_STR(limiting(m, m->path.limiting_read), limits_read);
    CHECK_STR(limiting(m, m->path.limiting_write), limits_write);
}

static inline void add_socket(struct machine *m, const char *numa, const char *host)
{
    add(m, NODE_NUMA, numa, "machine", 0);
    add(m, NODE_PCI_HOST, host, numa, 0);
}

#endif
