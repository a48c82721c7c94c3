/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of what disks share, derived from the set of disks that go through each part. */
#include <math.h>
#include <stdlib.h>

#include "report/qualify/internal.h"

/* Do all disks of part `p` also go through part `q`, which is nearer to the memory? Of two parts
   with the same disks the later one is nearer. */
static bool is_below(const struct sharing *s, size_t p, size_t q)
{
    for (size_t i = 0; i < s->drive_count; i++)
        if (s->parts[p].member[i] && !s->parts[q].member[i])
            return false;
    const size_t below = s->parts[p].count, above = s->parts[q].count;
    return below < above || (below == above && p < q);
}

static bool is_between(const struct sharing *s, size_t part, size_t below, size_t above)
{
    return part != below && part != above && is_below(s, below, part) && is_below(s, part, above);
}

static void link_parts(struct shared_graph *g, const struct sharing *s, size_t part)
{
    for (size_t above = 0; above < s->part_count; above++) {
        bool next = above != part && is_below(s, part, above);
        for (size_t k = 0; k < s->part_count && next; k++)
            next = !is_between(s, k, part, above);
        if (next)
            shared_graph_link(g, s->drive_count + part, s->drive_count + above);
    }
}

static void link_drive(struct shared_graph *g, const struct sharing *s, size_t drive)
{
    for (size_t part = 0; part < s->part_count; part++) {
        bool first = s->parts[part].member[drive];
        for (size_t k = 0; k < s->part_count && first; k++)
            first = k == part || !s->parts[k].member[drive] || !is_below(s, k, part);
        if (first)
            shared_graph_link(g, drive, s->drive_count + part);
    }
}

static void add_drive(struct shared_graph *g, const struct sharing_drive *d)
{
    const struct sharing_measured *m = &d->load[SHARING_READ];
    struct shared_node *node = shared_graph_add(g, d->name);
    if (!node)
        return;
    node->rates[0] = (struct shared_rate){"read", "alone", m->together, m->alone};
    node->mark = d->failure[0]                                ? "failed"
                 : d->loss[SHARING_READ] == SHARING_LOSES     ? "loses"
                 : d->loss[SHARING_READ] == SHARING_UNDECIDED ? "undecided"
                                                              : "";
    node->is_open = !d->failure[0] && d->loss[SHARING_READ] == SHARING_UNDECIDED;
}

static void add_part(struct shared_graph *g, const struct sharing_part *p)
{
    static const char *const marks[] = {[SHARING_FREE] = "",
                                        [SHARING_OPEN] = "undecided",
                                        [SHARING_UNKNOWN] = "limit unknown",
                                        [SHARING_FULL] = "oversubscribed"};
    const char *name = p->name[0] ? p->name : "not known", *title = node_kind_title(p->kind);
    struct shared_node *node = shared_graph_add(g, name);
    if (!node)
        return;
    node->kind = p->name[0] ? title : "";
    node->rates[0] = (struct shared_rate){"read", "", p->load[SHARING_READ].together,
                                          p->limit > 0 ? p->limit : (double)NAN};
    node->utilisation = p->used[SHARING_READ];
    node->mark = marks[p->blame[SHARING_READ]];
    node->is_open = p->blame[SHARING_READ] != SHARING_FULL;
}

struct shared_graph *qualification_sharing_graph(const struct sharing *s)
{
    struct shared_graph *g = malloc(sizeof *g);
    if (!g)
        return NULL;
    *g = (struct shared_graph){0};
    for (size_t i = 0; i < s->drive_count; i++)
        add_drive(g, &s->drives[i]);
    g->target_count = g->node_count;
    for (size_t i = 0; i < s->part_count; i++)
        add_part(g, &s->parts[i]);
    for (size_t i = 0; i < s->drive_count; i++)
        link_drive(g, s, i);
    for (size_t i = 0; i < s->part_count; i++)
        link_parts(g, s, i);
    return g;
}
