/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reachability in the graph of a data path: a set of bits for each part. */
#include "report/path/internal.h"

#include <string.h>

bool part_set_has(const struct part_set *s, size_t part)
{
    return s->bits[part / 64] >> (part % 64) & 1;
}

void part_set_put(struct part_set *s, size_t part)
{
    s->bits[part / 64] |= 1ull << (part % 64);
}

void part_set_join(struct part_set *s, const struct part_set *other)
{
    for (size_t w = 0; w < PART_SET_WORDS; w++)
        s->bits[w] |= other->bits[w];
}

/* Is all of `s` contained in `other`? */
static bool is_within(const struct part_set *s, const struct part_set *other)
{
    for (size_t w = 0; w < PART_SET_WORDS; w++)
        if (s->bits[w] & ~other->bits[w])
            return false;
    return true;
}

static size_t count_parts(const struct path_view *path)
{
    return path->part_count < RESULT_PARTS_MAX ? path->part_count : RESULT_PARTS_MAX;
}

bool path_graph_has(const struct path_view *path, const struct result_edge *edge)
{
    size_t count = count_parts(path);
    return edge->from < count && edge->to < count && edge->from != edge->to;
}

/* Sets only grow, so the loop ends even when the graph has circles. */
void path_graph_make(struct path_graph *g, const struct path_view *path)
{
    *g = (struct path_graph){.path = path};
    for (size_t i = 0; i < RESULT_PARTS_MAX; i++)
        part_set_put(&g->reach[i], i);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < path->edge_count; i++) {
            const struct result_edge *edge = &path->edges[i];
            if (!path_graph_has(path, edge) ||
                is_within(&g->reach[edge->to], &g->reach[edge->from]))
                continue;
            part_set_join(&g->reach[edge->from], &g->reach[edge->to]);
            changed = true;
        }
    }
}

size_t path_graph_legs(const struct path_graph *g, size_t part, size_t *first)
{
    const struct path_view *path = g->path;
    size_t count = 0;
    for (size_t i = 0; i < path->edge_count; i++) {
        if (path->edges[i].from != part || !path_graph_has(path, &path->edges[i]))
            continue;
        if (count++ == 0)
            *first = path->edges[i].to;
    }
    return count;
}

int path_graph_meeting(const struct path_graph *g, size_t part, struct part_set *common)
{
    const struct path_view *path = g->path;
    memset(common, 0xff, sizeof *common);
    for (size_t i = 0; i < path->edge_count; i++) {
        if (path->edges[i].from != part || !path_graph_has(path, &path->edges[i]))
            continue;
        for (size_t w = 0; w < PART_SET_WORDS; w++)
            common->bits[w] &= g->reach[path->edges[i].to].bits[w];
    }
    for (size_t i = 0; i < count_parts(path); i++)
        if (part_set_has(common, i) && is_within(common, &g->reach[i]))
            return (int)i;
    return -1;
}

/* Is there a part that `part` goes to next, and do all such parts have a limit? */
static bool legs_are_limited(const struct path_view *path, size_t part,
                             const struct part_set *limited)
{
    size_t legs = 0;
    for (size_t i = 0; i < path->edge_count; i++) {
        if (path->edges[i].from != part || !path_graph_has(path, &path->edges[i]))
            continue;
        if (!part_set_has(limited, path->edges[i].to))
            return false;
        legs++;
    }
    return legs > 0;
}

int path_graph_unlimited(const struct path_graph *g)
{
    const struct path_view *path = g->path;
    struct part_set limited = {0};
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count_parts(path); i++) {
            if (part_set_has(&limited, i) ||
                !(path->parts[i].limit_read > 0 || legs_are_limited(path, i, &limited)))
                continue;
            part_set_put(&limited, i);
            changed = true;
        }
    }
    for (size_t i = 0; i < count_parts(path); i++) {
        enum node_kind kind = path->parts[i].kind;
        bool should = kind == NODE_DISK || kind == NODE_NETWORK || kind == NODE_REMOTE;
        if (path->parts[i].on_path && should && !part_set_has(&limited, i))
            return (int)i;
    }
    return -1;
}
