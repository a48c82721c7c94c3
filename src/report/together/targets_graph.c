/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds one graph from the data paths of several targets, with the parts that two or more of them
   share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/together/internal.h"

/* If a target is further than this many steps from the memory, parts without a known limit are left
   out. */
enum { STEPS_MAX = 6 };

static bool is_part_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].on_path && !strcmp(r->parts[i].name, name))
            return true;
    return false;
}

static bool is_shared(const struct result_targets *t, const struct result_part *p)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count && count < 2; i++)
        count += is_part_of(t->targets[i].result, p->name);
    return count > 1 && p->on_path && p->kind != NODE_MACHINE;
}

/* Returns the index of a part's node, or -1. */
static int find(const struct shared_graph *g, const char *name)
{
    for (size_t i = g->target_count; i < g->node_count; i++)
        if (!strcmp(g->nodes[i].name, name))
            return (int)i;
    return -1;
}

static void set_figures(struct shared_node *node, const struct result_shared *s)
{
    node->rates[0] = (struct shared_rate){"read", "", s->used_read, s->limit_read};
    node->rates[1] = (struct shared_rate){"write", "", s->used_write, s->limit_write};
    node->utilisation = s->utilisation;
    node->mark = s->limits ? "limits them" : "";
}

static void add_parts(struct shared_graph *g, const struct result_targets *t,
                      const struct result *r, bool limited_only)
{
    for (size_t i = 0; i < r->part_count; i++) {
        const struct result_part *p = &r->parts[i];
        const bool limited = p->limit_read > 0 || p->limit_write > 0;
        struct shared_node *node;
        if ((limited_only && !limited) || find(g, p->name) >= 0 || !is_shared(t, p) ||
            !(node = shared_graph_add(g, p->name)))
            continue;
        node->kind = strcmp(node_kind_title(p->kind), p->name) ? node_kind_title(p->kind) : "";
        for (size_t k = 0; k < t->shared_count; k++)
            if (!strcmp(t->shared[k].name, p->name))
                set_figures(node, &t->shared[k]);
    }
}

/* Links a node to those parts after `part` that have nodes. A part without a node is skipped, and
   the parts after it are linked instead. */
static void link_from(struct shared_graph *g, const struct result *r, size_t node, size_t part,
                      bool seen[RESULT_PARTS_MAX])
{
    for (size_t i = 0; i < r->edge_count; i++) {
        const unsigned to = r->edges[i].to;
        if (r->edges[i].from != part || to >= r->part_count || seen[to])
            continue;
        seen[to] = true;
        const int next = find(g, r->parts[to].name);
        if (next >= 0)
            shared_graph_link(g, node, (size_t)next);
        else
            link_from(g, r, node, to, seen);
    }
}

/* Links all parts of a target's path that have nodes. The target itself is linked to part 0 if that
   has a node, such as a filesystem with several files, otherwise to the nodes after part 0. */
static void link_target(struct shared_graph *g, const struct result *r, size_t target)
{
    for (size_t i = 0; i < r->part_count; i++) {
        bool seen[RESULT_PARTS_MAX] = {false};
        const int node = find(g, r->parts[i].name);
        if (i == 0 && node >= 0)
            shared_graph_link(g, target, (size_t)node);
        if (i == 0 || node >= 0)
            link_from(g, r, node >= 0 ? (size_t)node : target, i, seen);
    }
}

static void set_target(struct shared_node *node, const struct result *r)
{
    static const char *const ops[SHARED_RATES] = {"read", "write"};
    for (size_t i = 0; i < SHARED_RATES; i++) {
        const struct result_row *row = result_find(r, METRIC_BANDWIDTH, ops[i]);
        node->rates[i] = (struct shared_rate){ops[i], "", row ? row->value : NAN, NAN};
    }
    node->mark = targets_is_bad(r) ? "failed" : "";
}

static void fill(struct shared_graph *g, const struct result_targets *t, bool limited_only)
{
    *g = (struct shared_graph){0};
    for (size_t i = 0; i < t->count; i++) {
        struct shared_node *node = shared_graph_add(g, t->targets[i].name);
        if (node)
            set_target(node, t->targets[i].result);
    }
    g->target_count = g->node_count;
    for (size_t i = 0; i < g->target_count; i++)
        add_parts(g, t, t->targets[i].result, limited_only);
    for (size_t i = 0; i < g->target_count; i++)
        link_target(g, t->targets[i].result, i);
}

struct shared_graph *targets_graph(const struct result_targets *t)
{
    size_t layers[SHARED_NODES_MAX];
    struct shared_graph *g = malloc(sizeof *g);
    if (!g)
        return NULL;
    fill(g, t, false);
    if (shared_graph_layers(g, layers) > STEPS_MAX)
        fill(g, t, true);
    return g;
}

bool targets_share(const struct result_targets *t, struct document *out)
{
    struct shared_graph *g = targets_graph(t);
    const bool shared = g && g->edge_count;
    out->failed |= !g;
    free(g);
    return shared;
}
