/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data path: from the target on, step by step, until every leg has reached the machine. */
#include "hw/path/data_path.h"

#include <string.h>

#include "hw/disk/block.h"
#include "hw/disk/filesystem.h"
#include "hw/path/internal.h"

static const char device_files[] = "/dev/";

/* Is there a way from one part to the other? */
static bool leads_to(const struct data_path *path, int from, int to)
{
    bool seen[DATA_PATH_PARTS] = {false};
    int waiting[DATA_PATH_PARTS];
    size_t count = 0;
    seen[from] = true;
    waiting[count++] = from;
    while (count) {
        int part = waiting[--count];
        if (part == to)
            return true;
        for (size_t e = 0; e < path->edge_count; e++) {
            int next = path->edges[e].to;
            if (path->edges[e].from == part && !seen[next]) {
                seen[next] = true;
                waiting[count++] = next;
            }
        }
    }
    return false;
}

/* Adds a part; -1 when there is no room. */
static int add_part(struct data_path *path, const struct inventory *v, int node, unsigned depth)
{
    if (path->part_count == DATA_PATH_PARTS) {
        path->full = true;
        return -1;
    }
    enum node_kind kind = v->nodes[node].kind;
    path->remote |= kind == NODE_REMOTE;
    path->parts[path->part_count] = (struct data_path_part){
        .node = node,
        .depth = depth,
        .is_target_device = kind == NODE_DISK || kind == NODE_MEMORY_DISK,
    };
    return (int)path->part_count++;
}

/* Adds an edge. False: it does not fit, or (in a damaged captured tree) it leads back to where it
   came from. */
static bool add_edge(struct data_path *path, const struct inventory *v, int from, int node,
                     bool writes_only)
{
    int to = 0;
    while (to < (int)path->part_count && path->parts[to].node != node)
        to++;
    bool is_new = to == (int)path->part_count;
    if (!is_new && leads_to(path, to, from))
        return false;
    if (path->edge_count == DATA_PATH_EDGES) {
        path->full = true;
        return false;
    }
    if (is_new)
        to = add_part(path, v, node, path->parts[from].depth + 1);
    if (to < 0)
        return false;
    path->edges[path->edge_count++] = (struct data_path_edge){from, to, writes_only};
    return true;
}

/* Parts are followed in the order in which they were found, so each is found from the nearest
   part. */
static void follow(struct data_path *path, const struct sysroot *root, struct inventory *v,
                   int target, dev_t device)
{
    struct next next;
    *path = (struct data_path){.complete = true};
    if (target == INVENTORY_NONE)
        path->complete = false;
    else
        add_part(path, v, target, 0);
    for (size_t p = 0; p < path->part_count; p++) {
        data_path_next(&next, root, v, path->parts[p].node, p == 0 ? device : 0);
        path->complete &= !next.unknown;
        path->full |= next.full;
        for (size_t i = 0; i < next.count; i++)
            path->complete &= add_edge(path, v, (int)p, next.nodes[i], next.writes_only[i]);
    }
    data_path_limits(path, v);
}

/* Finds a node by "nvme0n1", "/dev/nvme0n1", "/dev/mapper/vg-root" or "vg-root". */
static int find_by_name(const struct inventory *v, const char *name)
{
    if (!strncmp(name, device_files, sizeof device_files - 1))
        name += sizeof device_files - 1;
    int node = inventory_find(v, name);
    if (node != INVENTORY_NONE && node_kind_is(v->nodes[node].kind, KIND_STARTS_PATH))
        return node;
    const char *volume = strncmp(name, "mapper/", 7) ? name : name + 7;
    for (node = 0; node < v->node_count; node++) {
        const char *own = inventory_value(v, node, "name");
        if (v->nodes[node].kind == NODE_MAPPER && own && !strcmp(own, volume))
            return node;
    }
    return INVENTORY_NONE;
}

void data_path_find(struct data_path *path, const struct sysroot *root, struct inventory *v,
                    dev_t device, const char *file)
{
    int target = INVENTORY_NONE;
    /* On this machine the device's number decides; a captured tree has no device files. */
    if (file && root->prefix[0] && !strncmp(file, device_files, sizeof device_files - 1))
        target = find_by_name(v, file);
    if (target == INVENTORY_NONE && file)
        target = filesystem_add(root, v, &device, file);
    if (target == INVENTORY_NONE)
        target = block_node(root, v, device);
    follow(path, root, v, target, device);
}

bool data_path_of_name(struct data_path *path, const struct sysroot *root, struct inventory *v,
                       const char *name)
{
    int target = find_by_name(v, name);
    follow(path, root, v, target, 0);
    return target != INVENTORY_NONE;
}

void data_path_to_host(struct data_path *path, const struct sysroot *root, struct inventory *v,
                       const struct data_path_host *host)
{
    follow(path, root, v, remote_host(root, v, host), 0);
}

void data_path_depths(struct data_path *path)
{
    for (size_t p = 1; p < path->part_count; p++)
        path->parts[p].depth = DATA_PATH_PARTS;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t e = 0; e < path->edge_count; e++) {
            unsigned depth = path->parts[path->edges[e].from].depth + 1;
            struct data_path_part *to = &path->parts[path->edges[e].to];
            changed |= depth < to->depth;
            to->depth = depth < to->depth ? depth : to->depth;
        }
    }
}

/* The part is put before the nearer end, where the legs of arrays have joined already: so the way
   in which they divide the data does not change. */
bool data_path_insert(struct data_path *path, const struct inventory *v, int node, int from, int to)
{
    if (from == to || !leads_to(path, from, to) || path->edge_count == DATA_PATH_EDGES)
        return false;
    bool is_on_way[DATA_PATH_PARTS];
    for (int p = 0; p < (int)path->part_count; p++)
        is_on_way[p] = leads_to(path, from, p);
    int part = add_part(path, v, node, 0);
    if (part < 0)
        return false;
    for (size_t e = 0; e < path->edge_count; e++)
        if (path->edges[e].to == to && is_on_way[path->edges[e].from])
            path->edges[e].to = part;
    path->edges[path->edge_count++] = (struct data_path_edge){.from = part, .to = to};
    data_path_depths(path);
    data_path_limits(path, v);
    return true;
}
