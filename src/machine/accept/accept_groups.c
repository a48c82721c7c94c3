/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks that share a part of the machine which could slow them, as qualify --together finds them.
 */
#include <stdlib.h>
#include <string.h>

#include "hw/path/data_path.h"
#include "machine/accept/internal.h"
#include "machine/qualify/shared/shared.h"

_Static_assert(ACCEPT_DISKS_MAX <= SHARING_DRIVES, "all of them have a group");

static int node_of(const struct data_path *path, const struct inventory *v)
{
    int found = -1;
    for (size_t i = 0; i < path->part_count; i++) {
        const struct inventory_node *n = &v->nodes[path->parts[i].node];
        if (n->kind != NODE_NUMA || strncmp(n->name, "node", 4) != 0)
            continue;
        const int node = (int)strtol(n->name + 4, NULL, 10);
        if (found >= 0 && found != node)
            return -1;
        found = node;
    }
    return found;
}

static void find_groups(struct accept_disk disks[], size_t count, struct inventory *v,
                        struct sharing *s, struct data_path paths[])
{
    for (size_t i = 0; i < count; i++) {
        shared_add_drive(s, disks[i].name, (int)i);
        data_path_find(&paths[i], disks[i].root, v, disks[i].device, NULL);
    }
    shared_find_parts(s, v, paths);
    shared_find_groups(s);
    for (size_t i = 0; i < count; i++) {
        disks[i].group = s->drives[i].group;
        disks[i].numa_node = node_of(&paths[i], v);
    }
}

int accept_groups_find(struct accept_disk disks[], size_t count, struct inventory *v, struct err *e)
{
    struct sharing *s = calloc(1, sizeof *s);
    struct data_path *paths = calloc(count + 1, sizeof *paths);
    const bool room = s && paths;
    if (room)
        find_groups(disks, count, v, s, paths);
    free(paths);
    free(s);
    return room ? 0 : err_no_memory(e, "the paths of %zu disks", count);
}
