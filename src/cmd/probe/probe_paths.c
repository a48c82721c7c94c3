/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the data path of an operand, and makes its view for a report. */
#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/probe/internal.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/remote/remote_end.h"
#include "hw/sysroot/sysroot.h"
#include "report/path/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hw/path/data_path.h"

struct probe_path {
    struct data_path path;
    struct result_part parts[DATA_PATH_PARTS];
    struct result_edge edges[DATA_PATH_EDGES];
};

static int find_path(struct data_path *path, const struct sysroot *root, bool captured,
                     struct inventory *v, const char *target, struct err *e)
{
    struct stat status;
    *path = (struct data_path){0};
    if (captured) {
        if (target[0] == '/' && strncmp(target, "/dev/", 5) != 0)
            data_path_find(path, root, v, 0, target);
    } else if (!stat(target, &status)) {
        bool device = S_ISBLK(status.st_mode);
        data_path_find(path, root, v, device ? status.st_rdev : status.st_dev,
                       device ? NULL : target);
    }
    if (path->part_count > 0)
        return 0;
    *path = (struct data_path){0};
    /* A name in the machine's inventory: "nvme0n1", "eth0", or /dev/nvme0n1. */
    const char *name = strncmp(target, "/dev/", 5) ? target : target + 5;
    if (data_path_of_name(path, root, v, name) && path->part_count > 0)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%.200s: there is no such file, block device or network interface%s", target,
                   captured ? " on the machine of --sysroot" : "");
}

static void fill_view(struct path_view *view, struct probe_path *p, const struct inventory *v,
                      const char *target)
{
    for (size_t i = 0; i < p->path.part_count; i++) {
        const struct data_path_part *from = &p->path.parts[i];
        struct result_part *to = &p->parts[i];
        *to = (struct result_part){.kind = v->nodes[from->node].kind,
                                   .on_path = true,
                                   .under_test = from->is_target_device,
                                   .depth = from->depth,
                                   .limit_read = from->limit_read,
                                   .limit_write = from->limit_write,
                                   .used_read = NAN,
                                   .used_write = NAN,
                                   .utilisation = NAN,
                                   .peak = NAN};
        snprintf(to->name, sizeof to->name, "%s", v->nodes[from->node].name);
    }
    for (size_t i = 0; i < p->path.edge_count; i++)
        p->edges[i] =
            (struct result_edge){(unsigned)p->path.edges[i].from, (unsigned)p->path.edges[i].to};
    *view = (struct path_view){.target = target,
                               .inventory = v,
                               .parts = p->parts,
                               .part_count = p->path.part_count,
                               .edges = p->edges,
                               .edge_count = p->path.edge_count,
                               .limit_read = p->path.limit_read,
                               .limit_write = p->path.limit_write,
                               .limiting_read = p->path.limiting_read,
                               .limiting_write = p->path.limiting_write,
                               .complete = p->path.complete};
}

int probe_paths_find(struct probe_paths *p, const struct sysroot *root, bool captured,
                     const struct remote_end *remote, struct inventory *v,
                     const struct option_set *set, struct err *e)
{
    if (set->operand_count == 0)
        return 0;
    p->views = calloc(set->operand_count, sizeof *p->views);
    p->paths = calloc(set->operand_count, sizeof *p->paths);
    if (!p->views || !p->paths)
        return err_no_memory(e, "the data paths");
    for (; p->count < set->operand_count; p->count++) {
        const char *target = set->operands[p->count];
        struct probe_path *path = &p->paths[p->count];
        if (find_path(&path->path, root, captured, v, target, e) ||
            remote_end_join(remote, v, &path->path, e))
            return -1;
        fill_view(&p->views[p->count], path, v, target);
    }
    return v->failed ? err_no_memory(e, "the data paths") : 0;
}

void probe_paths_free(struct probe_paths *p)
{
    free(p->views);
    free(p->paths);
    *p = (struct probe_paths){0};
}
