/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A data path as a tree of characters: chains go down without indentation, legs in parallel are
   branches, and what they share comes below them again. */
#include <stdio.h>

#include "report/layout/layout.h"
#include "report/path/internal.h"

enum { PREFIX = 200 };

static int draw_legs(struct drawing *d, size_t part, size_t count, const char *prefix,
                     struct part_set stop);

/*
 * Draw a chain from `part` on until it ends, comes to a part of `stop` or to one that is drawn.
 * Returns the part of `stop`, which is not drawn, or -1.
 */
static int draw_chain(struct drawing *d, size_t part, const char *first_prefix, const char *prefix,
                      struct part_set stop)
{
    for (const char *lead = first_prefix;; lead = prefix) {
        if (part_set_has(&stop, part))
            return (int)part;
        if (part_set_has(&d->drawn, part)) {
            path_print_reference(d, lead, part, ", above");
            return -1;
        }
        part_set_put(&d->drawn, part);
        path_print_part(d, lead, prefix, part);
        size_t next = 0, count = path_graph_legs(&d->graph, part, &next);
        if (count == 0)
            return -1;
        if (count > 1) {
            int meeting = draw_legs(d, part, count, prefix, stop);
            if (meeting < 0)
                return -1;
            next = (size_t)meeting;
        }
        part = next;
    }
}

/* Draw each leg as a branch; returns the part where they meet, or -1. */
static int draw_legs(struct drawing *d, size_t part, size_t count, const char *prefix,
                     struct part_set stop)
{
    const struct path_view *p = d->path;
    struct part_set common;
    int meeting = path_graph_meeting(&d->graph, part, &common);
    size_t left = count;
    part_set_join(&stop, &common);
    for (size_t i = 0; i < p->edge_count; i++) {
        if (p->edges[i].from != part || !path_graph_has(p, &p->edges[i]))
            continue;
        char branch[PREFIX], next[PREFIX];
        bool last = --left == 0, deep = layout_length(prefix) + PATH_NAME_MIN > path_name_width(d);
        snprintf(branch, sizeof branch, "%s%s", prefix, deep ? "" : layout_branch(d->style, last));
        snprintf(next, sizeof next, "%s%s", prefix, deep ? "" : layout_stem(d->style, last));
        size_t to = p->edges[i].to;
        if (part_set_has(&stop, to)) {
            path_print_reference(d, branch, to, "");
            continue;
        }
        int end = draw_chain(d, to, branch, next, stop);
        if (end >= 0 && end != meeting)
            path_print_reference(d, next, (size_t)end, "");
    }
    return meeting;
}

void path_print(const struct path_view *p, const struct report_style *style, struct text *out)
{
    struct drawing d = {.path = p, .style = style, .out = out};
    if (p->part_count == 0)
        return;
    if (path_is_known(p)) {
        path_graph_make(&d.graph, p);
        path_print_header(&d);
        draw_chain(&d, 0, "", "", (struct part_set){0});
        path_print_whole(&d);
    }
    if (p->measured)
        path_print_beside(&d);
}
