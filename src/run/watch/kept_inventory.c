/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the part of the machine's inventory that a session keeps. */
#include "run/watch/kept_inventory.h"

#include <math.h>
#include <stdlib.h>

#include "hw/monitor/monitor.h"
#include "hw/prober.h"

/* Copies the nodes below `node` that are kept, parents first, whatever their numbers are. */
static void copy_below(struct inventory *kept, const struct inventory *v, int node,
                       const unsigned char keep[], int copies[])
{
    if (keep[node]) {
        int above = v->nodes[node].parent;
        while (above != INVENTORY_NONE && copies[above] == INVENTORY_NONE)
            above = v->nodes[above].parent;
        copies[node] =
            inventory_copy_node(kept, v, node, above == INVENTORY_NONE ? above : copies[above]);
    }
    for (int child = v->nodes[node].first_child; child != INVENTORY_NONE;
         child = v->nodes[child].next_sibling)
        copy_below(kept, v, child, keep, copies);
}

/* Sets keep[node] to 1 for every node that is kept. */
static void choose_kept_nodes(const struct inventory *v, const struct data_path *path,
                              unsigned char keep[])
{
    for (size_t i = 0; i < path->part_count; i++)
        keep[path->parts[i].node] = 1;
    for (int node = 0; node < v->node_count; node++) {
        const struct inventory_node *n = &v->nodes[node];
        switch (n->kind) {
        case NODE_MACHINE: /* these nodes are kept for any target */
        case NODE_BOARD:
        case NODE_KERNEL:
        case NODE_CPU:
        case NODE_CPU_PACKAGE:
        case NODE_MEMORY:
        case NODE_NUMA:
            keep[node] = 1;
            break;
        case NODE_SENSOR: /* sensors of processors are below a PCI function or a platform device */
            keep[node] |= monitor_senses_processor(n->name) ||
                          (n->parent != INVENTORY_NONE && keep[n->parent]);
            break;
        default:
            break;
        }
    }
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
        choose_kept_nodes(v, path, keep);
        for (int node = 0; node < v->node_count; node++)
            if (v->nodes[node].parent == INVENTORY_NONE)
                copy_below(kept, v, node, keep, copies);
        for (size_t i = 0; i < path->part_count; i++)
            path->parts[i].node = copies[path->parts[i].node];
    }
    free(keep);
    free(copies);
    return failed || kept->failed ? err_no_memory(e, "what this machine is") : 0;
}

/* Examines the whole machine, including nodes that only the path to the target adds: filesystems,
   and storage elsewhere. */
static int look_at_all(struct inventory *all, struct data_path *path, const struct sysroot *root,
                       const struct hardware_target *target, const struct remote_end *remote,
                       struct err *e)
{
    struct probe probe = {.root = root, .inventory = all, .commands = true};
    *path = (struct data_path){
        .limit_read = NAN, .limit_write = NAN, .limiting_read = -1, .limiting_write = -1};
    if (probe_all(&probe, e))
        return -1;
    if (target->file)
        data_path_find(path, root, all, target->device, target->file);
    else if (target->host.address)
        data_path_to_host(path, root, all, &target->host);
    return remote_end_join(remote, all, path, e);
}

int hardware_look_again(struct inventory *now, const struct sysroot *root,
                        const struct hardware_target *target, const struct remote_end *remote,
                        struct err *e)
{
    struct data_path path;
    return look_at_all(now, &path, root, target, remote, e);
}

int hardware_look(struct inventory *kept, struct data_path *path, const struct sysroot *root,
                  const struct hardware_target *target, const struct remote_end *remote,
                  struct err *e)
{
    struct inventory all = {0};
    int failed = look_at_all(&all, path, root, target, remote, e) || keep_part(kept, &all, path, e);
    inventory_free(&all);
    return failed ? -1 : 0;
}

/* Copies all nodes. Each comes after its parent, so that numbers stay the same. */
static int copy_all(struct inventory *to, const struct inventory *from, struct err *e)
{
    for (int node = 0; node < from->node_count; node++)
        inventory_copy_node(to, from, node, from->nodes[node].parent);
    return to->failed ? err_no_memory(e, "what this machine is") : 0;
}

int hardware_see(struct hardware_seen *seen, struct inventory *kept, struct data_path *path,
                 const struct sysroot *root, const struct hardware_target *target,
                 const struct remote_end *remote, struct err *e)
{
    if (seen && seen->known) {
        *path = seen->path;
        return copy_all(kept, &seen->kept, e);
    }
    if (hardware_look(kept, path, root, target, remote, e))
        return -1;
    if (!seen)
        return 0;
    seen->path = *path;
    seen->known = true;
    return copy_all(&seen->kept, kept, e);
}
