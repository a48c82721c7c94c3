/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session keeps of the machine. */
#include "run/watch/hardware.h"

#include <math.h>
#include <stdlib.h>

#include "hw/monitor/monitor.h"
#include "hw/prober.h"

/* What every result is told beside, wherever the target lies. */
static bool is_general(enum node_kind kind)
{
    return kind == NODE_MACHINE || kind == NODE_BOARD || kind == NODE_KERNEL || kind == NODE_CPU ||
           kind == NODE_CPU_PACKAGE || kind == NODE_MEMORY || kind == NODE_NUMA;
}

/* keep[node]: 1 for every node that stays. */
static void choose(const struct inventory *v, const struct data_path *path, unsigned char keep[])
{
    for (size_t i = 0; i < path->part_count; i++)
        keep[path->parts[i].node] = 1;
    /* Processors' own sensors hang below a PCI function or a platform device. */
    for (int node = 0; node < v->node_count; node++) {
        const struct inventory_node *n = &v->nodes[node];
        if (is_general(n->kind))
            keep[node] = 1;
        if (n->kind == NODE_SENSOR &&
            (monitor_senses_processor(n->name) || (n->parent != INVENTORY_NONE && keep[n->parent])))
            keep[node] = 1;
    }
}

static int kept_above(const struct inventory *v, int node, const int copies[])
{
    do
        node = v->nodes[node].parent;
    while (node != INVENTORY_NONE && copies[node] == INVENTORY_NONE);
    return node == INVENTORY_NONE ? INVENTORY_NONE : copies[node];
}

/* Parents first, whatever the order of the numbers. */
static void copy_below(struct inventory *kept, const struct inventory *v, int node,
                       const unsigned char keep[], int copies[])
{
    if (keep[node])
        copies[node] = inventory_copy_node(kept, v, node, kept_above(v, node, copies));
    for (int child = v->nodes[node].first_child; child != INVENTORY_NONE;
         child = v->nodes[child].next_sibling)
        copy_below(kept, v, child, keep, copies);
}

static int keep_part(struct inventory *kept, const struct inventory *v, struct data_path *path,
                     struct err *e)
{
    size_t count = (size_t)v->node_count;
    unsigned char *keep = calloc(count, 1);
    int *copies = malloc(count * sizeof *copies);
    int failed = !keep || !copies;
    if (!failed) {
        for (size_t i = 0; i < count; i++)
            copies[i] = INVENTORY_NONE;
        choose(v, path, keep);
        for (int node = 0; node < v->node_count; node++)
            if (v->nodes[node].parent == INVENTORY_NONE)
                copy_below(kept, v, node, keep, copies);
        for (size_t i = 0; i < path->part_count; i++)
            path->parts[i].node = copies[path->parts[i].node];
    }
    free(keep);
    free(copies);
    if (failed || kept->failed)
        return err_set(e, ERR_MACHINE, "not enough memory for what this machine is");
    return 0;
}

/* All of it, with what only the way to the target brings: filesystems, and storage elsewhere. */
static int look(struct inventory *all, struct data_path *path, const struct sysroot *root,
                dev_t device, const char *file, struct err *e)
{
    struct probe probe = {.root = root, .inventory = all, .commands = true};
    *path = (struct data_path){
        .limit_read = NAN, .limit_write = NAN, .limiting_read = -1, .limiting_write = -1};
    if (probe_all(&probe, e))
        return -1;
    if (file)
        data_path_find(path, root, all, device, file);
    return 0;
}

int hardware_look_again(struct inventory *now, const struct sysroot *root, dev_t device,
                        const char *file, struct err *e)
{
    struct data_path path;
    return look(now, &path, root, device, file, e);
}

int hardware_look(struct inventory *kept, struct data_path *path, const struct sysroot *root,
                  dev_t device, const char *file, struct err *e)
{
    struct inventory all = {0};
    int failed = look(&all, path, root, device, file, e) || keep_part(kept, &all, path, e);
    inventory_free(&all);
    return failed ? -1 : 0;
}
