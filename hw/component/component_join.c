/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the user's components as nodes of the inventory and parts of the data path. */
#include <stdio.h>
#include <string.h>

#include "hw/component/component.h"

static int refuse(const struct components *all, const struct component *c, struct err *e)
{
    return err_context(e, "%s:%zu: component %s", all->file, c->line, c->name);
}

static int add_node(const struct component *c, const char *file, struct inventory *v, int *node,
                    struct err *e)
{
    if (inventory_find(v, c->name) != INVENTORY_NONE)
        return err_set(e, ERR_USAGE, "this machine has a part of that name: choose another one");
    *node = inventory_add_node(v, NODE_COMPONENT, c->name, NULL, INVENTORY_NONE);
    if (c->limit > 0)
        inventory_addf(v, *node, c->bytes ? "limit" : "limit_of_use",
                       c->bytes ? "bytes/s" : c->unit, file, "%.17g", c->limit);
    if (c->source[0])
        inventory_add(v, *node, c->is_command ? "command" : "counter", c->source, "", file,
                      FACT_OK);
    return v->failed ? err_no_memory(e, "a part of the machine") : 0;
}

static int part_of(const struct data_path *path, const struct inventory *v, const char *name)
{
    for (size_t i = 0; i < path->part_count; i++)
        if (!strcmp(v->nodes[path->parts[i].node].name, name))
            return (int)i;
    return -1;
}

/* Reports that the path has no such part, with a list of its parts to choose from. */
static int refuse_part(const struct data_path *path, const struct inventory *v, const char *name,
                       struct err *e)
{
    char parts[240] = "";
    size_t length = 0;
    for (size_t i = 0; i < path->part_count && length + 60 < sizeof parts; i++)
        length += (size_t)snprintf(parts + length, sizeof parts - length, "%s%.48s", i ? ", " : "",
                                   v->nodes[path->parts[i].node].name);
    if (!path->part_count)
        return err_set(e, ERR_USAGE,
                       "no data path was found, so nothing is between its parts: leave between out "
                       "to watch it beside the path");
    return err_set(e, ERR_USAGE, "the data path has no part %s, but %s", name, parts);
}

static int join_path(const struct component *c, const struct inventory *v, int node,
                     struct data_path *path, struct err *e)
{
    int ends[2];
    for (int i = 0; i < 2; i++) {
        ends[i] = part_of(path, v, c->ends[i]);
        if (ends[i] < 0)
            return refuse_part(path, v, c->ends[i], e);
    }
    if (data_path_insert(path, v, node, ends[0], ends[1]) ||
        data_path_insert(path, v, node, ends[1], ends[0]))
        return 0;
    return err_set(e, ERR_USAGE, "no data go from %s through %s", c->ends[0], c->ends[1]);
}

int components_join(const struct components *components, struct inventory *v,
                    struct data_path *path, struct err *e)
{
    for (size_t i = 0; i < components->count; i++) {
        const struct component *c = &components->list[i];
        int node = INVENTORY_NONE;
        if (add_node(c, components->file, v, &node, e) ||
            (c->ends[0][0] && join_path(c, v, node, path, e)))
            return refuse(components, c, e);
    }
    return 0;
}
