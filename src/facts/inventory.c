/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the inventory, a tree of nodes that are found by name and by path, and names the kinds of
   nodes. Facts are in fact.c. */
#include "facts/inventory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/span.h"

void inventory_free(struct inventory *v)
{
    free(v->nodes);
    free(v->facts);
    free(v->path_nodes);
    string_table_free(&v->names);
    string_table_free(&v->paths);
    pool_free(&v->strings);
    *v = (struct inventory){0};
}

/* ---- finding nodes by name and by path ---- */

/* Returns the node with this path, or INVENTORY_NONE. The path has `length` bytes and need not end
   in '\0'. */
static int node_of_path(const struct inventory *v, const char *path, size_t length)
{
    uint32_t number = string_table_find(&v->paths, (struct span){path, length});
    return number == STRING_TABLE_NONE ? INVENTORY_NONE : v->path_nodes[number];
}

/* ---- nodes ---- */

static bool room_for_node(struct inventory *v)
{
    const size_t count = (size_t)v->node_count;
    size_t capacity = v->node_capacity;
    return array_grow(&v->nodes, sizeof *v->nodes, count, &capacity) &&
           array_grow(&v->path_nodes, sizeof *v->path_nodes, count, &v->node_capacity);
}

static void hang(struct inventory *v, int node, int parent)
{
    struct inventory_node *n = &v->nodes[node];
    n->parent = parent;
    n->next_sibling = INVENTORY_NONE;
    if (parent == INVENTORY_NONE)
        return;
    struct inventory_node *p = &v->nodes[parent];
    if (p->last_child == INVENTORY_NONE)
        p->first_child = node;
    else
        v->nodes[p->last_child].next_sibling = node;
    p->last_child = node;
}

int inventory_add_node(struct inventory *v, enum node_kind kind, const char *name, const char *path,
                       int parent)
{
    struct inventory_node node = {.kind = kind,
                                  .first_child = INVENTORY_NONE,
                                  .last_child = INVENTORY_NONE,
                                  .first_fact = INVENTORY_NONE,
                                  .last_fact = INVENTORY_NONE};
    char numbered[96], shown[80];
    const char *unique = span_printable(shown, sizeof shown, span_of(*name ? name : "?"));
    for (int i = 2; inventory_find(v, unique) != INVENTORY_NONE; i++) {
        snprintf(numbered, sizeof numbered, "%s#%d", shown, i);
        unique = numbered;
    }
    node.name = pool_copy(&v->strings, unique, strlen(unique));
    node.path = path && *path ? pool_copy(&v->strings, path, strlen(path)) : "";
    if (!node.name || !node.path || !room_for_node(v) ||
        string_table_add(&v->names, span_of(node.name)) == STRING_TABLE_NONE) {
        v->failed = true;
        return INVENTORY_NONE;
    }
    int number = v->node_count++;
    v->nodes[number] = node;
    hang(v, number, parent);
    /* If several nodes have the same path, a search for the path finds the first of them. */
    uint32_t count = v->paths.count;
    if (*node.path && string_table_add(&v->paths, span_of(node.path)) == STRING_TABLE_NONE)
        v->failed = true;
    if (v->paths.count > count)
        v->path_nodes[count] = number;
    return number;
}

void inventory_move(struct inventory *v, int node, int parent)
{
    if (node == INVENTORY_NONE)
        return;
    for (int above = parent; above != INVENTORY_NONE; above = v->nodes[above].parent)
        if (above == node) /* a node cannot become its own descendant */
            return;
    int old = v->nodes[node].parent;
    if (old != INVENTORY_NONE) {
        struct inventory_node *p = &v->nodes[old];
        int previous = INVENTORY_NONE;
        for (int i = p->first_child; i != node; i = v->nodes[i].next_sibling)
            previous = i;
        if (previous == INVENTORY_NONE)
            p->first_child = v->nodes[node].next_sibling;
        else
            v->nodes[previous].next_sibling = v->nodes[node].next_sibling;
        if (p->last_child == node)
            p->last_child = previous;
    }
    hang(v, node, parent);
}

int inventory_find(const struct inventory *v, const char *name)
{
    uint32_t number = string_table_find(&v->names, span_of(name));
    return number == STRING_TABLE_NONE ? INVENTORY_NONE : (int)number;
}

int inventory_at(const struct inventory *v, const char *path)
{
    return node_of_path(v, path, strlen(path));
}

int inventory_above(const struct inventory *v, const char *path)
{
    size_t length = strlen(path);
    while (length) {
        do
            length--;
        while (length && path[length] != '/');
        int node = node_of_path(v, path, length);
        if (node != INVENTORY_NONE)
            return node;
    }
    return INVENTORY_NONE;
}

/* ---- kinds: the rows of tables/node_kinds.h ---- */

#define KIND_ROW(identifier, ...) {__VA_ARGS__},
static const struct {
    const char *name, *title, *shown;
    unsigned traits;
} kinds[] = {NODE_KIND_ROWS(KIND_ROW)};
#undef KIND_ROW

const char *node_kind_name(enum node_kind kind)
{
    return kinds[kind].name;
}

const char *node_kind_title(enum node_kind kind)
{
    return kinds[kind].title;
}

const char *node_kind_shown(enum node_kind kind)
{
    return kinds[kind].shown;
}

bool node_kind_is(enum node_kind kind, enum node_trait trait)
{
    return kinds[kind].traits & trait;
}

enum node_kind node_kind_of(const char *name)
{
    for (int kind = 0; kind < NODE_KINDS; kind++)
        if (!strcmp(kinds[kind].name, name))
            return (enum node_kind)kind;
    return NODE_OTHER;
}
