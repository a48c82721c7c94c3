/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the parts that the paths of several drives have in common, and the drives that these
   slow. */
#include "machine/qualify/shared/shared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int shared_add_drive(struct sharing *s, const char *name, int device)
{
    if (s->drive_count == SHARING_DRIVES)
        return -1;
    struct sharing_drive *d = &s->drives[s->drive_count++];
    *d = (struct sharing_drive){.device = device, .limit = NAN};
    snprintf(d->name, sizeof d->name, "%s", name);
    for (int load = 0; load < SHARING_LOADS; load++) {
        d->load[load] = (struct sharing_measured){NAN, NAN, NAN, NAN, NAN};
        d->part[load] = -1;
    }
    return 0;
}

/* ---- nodes on the paths of drives ---- */

static bool is_host(enum node_kind kind)
{
    return kind == NODE_MACHINE || kind == NODE_PCI_HOST || kind == NODE_NUMA ||
           kind == NODE_CPU_PACKAGE || kind == NODE_CPU || kind == NODE_MEMORY;
}

/* Returns the depth of the node on this path; 0 if it is not on the path, or is the drive
   itself. */
static unsigned depth_in(const struct data_path *path, int node)
{
    for (size_t p = 1; p < path->part_count; p++)
        if (path->parts[p].node == node)
            return path->parts[p].depth;
    return 0;
}

/* Returns the limit of a node for reads on any of these paths. One link lies below a PCI Express
   port; its limit is the limit of each function at its other end. */
static double limit_of(const struct inventory *v, const struct data_path paths[], size_t count,
                       int node)
{
    double limit = NAN;
    bool port = v->nodes[node].kind == NODE_PCI_BRIDGE;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 1; p < paths[i].part_count; p++) {
            const struct data_path_part *part = &paths[i].parts[p];
            const struct inventory_node *below = &v->nodes[part->node];
            if (part->node == node ||
                (port && below->parent == node && below->kind == NODE_PCI_DEVICE))
                limit = fmin(limit, part->limit_read);
        }
    return limit;
}

/* ---- names ---- */

static const char *title_of(const struct inventory *v, int node)
{
    int above = v->nodes[node].parent;
    switch (v->nodes[node].kind) {
    case NODE_PCI_BRIDGE:
        return above != INVENTORY_NONE && v->nodes[above].kind == NODE_PCI_HOST ? "root port"
                                                                                : "switch";
    case NODE_PCI_DEVICE:
        return "adapter";
    default:
        return node_kind_title(v->nodes[node].kind);
    }
}

static void append_words(struct sharing_part *part, const char *between, const char *title,
                         const char *name)
{
    size_t used = strlen(part->words);
    snprintf(part->words + used, sizeof part->words - used, "%s%s%s%.40s", between, title,
             *title ? " " : "", name);
}

/* Names a part so that a person finds the port on the board and the box with the drives. */
static void name_part(struct sharing_part *part, const struct inventory *v, int node,
                      const int chain[], size_t length)
{
    snprintf(part->name, sizeof part->name, "%s", v->nodes[node].name);
    part->kind = v->nodes[node].kind;
    part->words[0] = '\0';
    append_words(part, "", part->kind == NODE_MACHINE ? "" : title_of(v, node),
                 v->nodes[node].name);
    if (chain[0] != node && !is_host(v->nodes[chain[0]].kind))
        append_words(part, " with ", title_of(v, chain[0]), v->nodes[chain[0]].name);
    for (size_t i = 0; i < length; i++)
        if (chain[i] != node && !strcmp(title_of(v, chain[i]), "root port"))
            append_words(part, " at ", "root port", v->nodes[chain[i]].name);
}

/* ---- chains of nodes with the same drives ---- */

struct candidate {
    int node;
    unsigned depth; /* the largest depth on any path */
    double limit;
    size_t count;
    bool member[SHARING_DRIVES];
};

static bool same_drives(const struct candidate *a, const struct candidate *b)
{
    return a->count == b->count && !memcmp(a->member, b->member, sizeof a->member);
}

static size_t find_candidates(const struct inventory *v, const struct data_path paths[],
                              size_t count, struct candidate c[], size_t max, size_t *left)
{
    size_t found = 0;
    for (int node = 0; node < v->node_count; node++) {
        struct candidate one = {.node = node};
        for (size_t i = 0; i < count; i++) {
            unsigned depth = depth_in(&paths[i], node);
            one.member[i] = depth > 0;
            one.count += depth > 0;
            one.depth = depth > one.depth ? depth : one.depth;
        }
        if (one.count < 2)
            continue;
        one.limit = limit_of(v, paths, count, node);
        if (found == max)
            ++*left;
        else
            c[found++] = one;
    }
    return found;
}

/* Collects the chain of nodes that have the same drives as candidate `first`, from the drives up.
 *best becomes the node whose name and limit stand for the chain. */
static size_t take_chain(const struct candidate c[], size_t count, size_t first, int chain[],
                         const struct inventory *v, const struct candidate **best)
{
    size_t length = 0;
    *best = NULL;
    for (unsigned depth = 0; depth <= DATA_PATH_PARTS; depth++)
        for (size_t i = first; i < count; i++) {
            if (c[i].depth != depth || !same_drives(&c[first], &c[i]))
                continue;
            bool hosts = *best && is_host(v->nodes[(*best)->node].kind);
            if (!*best || (c[i].limit < (*best)->limit) ||
                (isnan((*best)->limit) && c[i].limit > 0) ||
                (hosts && !is_host(v->nodes[c[i].node].kind)))
                *best = &c[i];
            chain[length++] = c[i].node;
        }
    return length;
}

static struct sharing_part *add_part(struct sharing *s, const bool member[])
{
    if (s->part_count == SHARING_PARTS) {
        s->parts_left++;
        return NULL;
    }
    struct sharing_part *part = &s->parts[s->part_count++];
    *part = (struct sharing_part){.limit = NAN, .demand = 0};
    for (size_t i = 0; i < s->drive_count; i++) {
        part->member[i] = member[i];
        part->count += member[i];
        part->demand += member[i] ? s->drives[i].limit : 0;
    }
    for (int load = 0; load < SHARING_LOADS; load++) {
        part->load[load] = (struct sharing_measured){NAN, NAN, NAN, NAN, NAN};
        part->together_low[load] = part->used[load] = NAN;
    }
    return part;
}

/* Adds one part for all drives whose paths are not completely known, since these may share
   anything. */
static void add_unknown(struct sharing *s, const struct data_path paths[])
{
    bool member[SHARING_DRIVES] = {false};
    size_t count = 0;
    for (size_t i = 0; i < s->drive_count; i++)
        count += member[i] = !paths[i].complete || paths[i].part_count < 2;
    /* the drives already share a part with the same members, so another one adds nothing */
    bool same = false;
    for (size_t p = 0; p < s->part_count; p++)
        same |= !s->parts[p].host && !memcmp(s->parts[p].member, member, sizeof member);
    struct sharing_part *part = count > 1 && !same ? add_part(s, member) : NULL;
    if (part)
        snprintf(part->words, sizeof part->words, "parts that are not known");
}

static void sort_parts(struct sharing *s)
{
    for (size_t i = 1; i < s->part_count; i++)
        for (size_t k = i; k > 0 && s->parts[k].count < s->parts[k - 1].count; k--) {
            struct sharing_part held = s->parts[k];
            s->parts[k] = s->parts[k - 1];
            s->parts[k - 1] = held;
        }
}

void shared_find_parts(struct sharing *s, const struct inventory *v, const struct data_path paths[])
{
    enum { CANDIDATES = 200 };
    struct candidate c[CANDIDATES];
    int chain[CANDIDATES];
    const struct candidate *best;
    s->part_count = s->parts_left = 0;
    for (size_t i = 0; i < s->drive_count; i++)
        s->drives[i].limit = paths[i].limit_read;
    size_t count = find_candidates(v, paths, s->drive_count, c, CANDIDATES, &s->parts_left);
    for (size_t i = 0; i < count; i++) {
        bool taken = false;
        for (size_t k = 0; k < i && !taken; k++)
            taken = same_drives(&c[k], &c[i]);
        struct sharing_part *part = taken ? NULL : add_part(s, c[i].member);
        if (!part)
            continue;
        size_t length = take_chain(c, count, i, chain, v, &best);
        part->host = is_host(v->nodes[best->node].kind);
        part->limit = best->limit;
        name_part(part, v, best->node, chain, length);
    }
    add_unknown(s, paths);
    sort_parts(s);
}

/* ---- groups and slots ---- */

static bool connects(const struct sharing_part *part)
{
    return !part->host && !(part->demand <= part->limit);
}

void shared_find_groups(struct sharing *s)
{
    for (size_t i = 0; i < s->drive_count; i++)
        s->drives[i].group = (unsigned)i;
    for (size_t p = 0; p < s->part_count; p++) {
        unsigned least = SHARING_DRIVES;
        const struct sharing_part *part = &s->parts[p];
        if (!connects(part))
            continue;
        for (size_t i = 0; i < s->drive_count; i++)
            if (part->member[i] && s->drives[i].group < least)
                least = s->drives[i].group;
        for (size_t i = 0; i < s->drive_count; i++) {
            unsigned group = s->drives[i].group;
            for (size_t k = 0; part->member[i] && group != least && k < s->drive_count; k++)
                if (s->drives[k].group == group)
                    s->drives[k].group = least;
        }
    }
    /* So far a group is known by the index of its first drive. From here on groups are numbered,
       and so are the drives of each group. */
    unsigned number[SHARING_DRIVES], size[SHARING_DRIVES] = {0};
    s->groups = s->slots = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        struct sharing_drive *d = &s->drives[i];
        if (d->group == i)
            number[i] = s->groups++;
        d->group = number[d->group];
        d->slot = size[d->group]++;
        s->slots = d->slot + 1 > s->slots ? d->slot + 1 : s->slots;
    }
}
