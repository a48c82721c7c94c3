/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory: kinds of nodes, and nodes in a tree, found by name and by path. Facts are in
 * fact.c. */
#include "facts/inventory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/span.h"

#define NODES_FIRST 64

void inventory_free(struct inventory *v)
{
    free(v->nodes);
    free(v->facts);
    free(v->by_name);
    free(v->by_path);
    pool_free(&v->strings);
    *v = (struct inventory){0};
}

/* ---- the hash tables: open addressing, at most half full ---- */

static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static const char *key_of(const struct inventory *v, bool paths, int node)
{
    return paths ? v->nodes[node].path : v->nodes[node].name;
}

static int find(const struct inventory *v, bool paths, const char *text, size_t length)
{
    const int *table = paths ? v->by_path : v->by_name;
    if (!v->table_size || !length)
        return INVENTORY_NONE;
    unsigned mask = (unsigned)v->table_size - 1;
    for (unsigned i = hash(text, length) & mask; table[i] != INVENTORY_NONE; i = (i + 1) & mask) {
        const char *key = key_of(v, paths, table[i]);
        if (!strncmp(key, text, length) && key[length] == '\0')
            return table[i];
    }
    return INVENTORY_NONE;
}

/* The first node of a path keeps it. */
static void enter(struct inventory *v, bool paths, int node)
{
    const char *key = key_of(v, paths, node);
    size_t length = strlen(key);
    if (!length || find(v, paths, key, length) != INVENTORY_NONE)
        return;
    int *table = paths ? v->by_path : v->by_name;
    unsigned mask = (unsigned)v->table_size - 1, i = hash(key, length) & mask;
    while (table[i] != INVENTORY_NONE)
        i = (i + 1) & mask;
    table[i] = node;
}

static bool grow_tables(struct inventory *v, int size)
{
    int *names = malloc((size_t)size * sizeof *names),
        *paths = malloc((size_t)size * sizeof *paths);
    if (!names || !paths) {
        free(names);
        free(paths);
        return false;
    }
    free(v->by_name);
    free(v->by_path);
    v->by_name = names;
    v->by_path = paths;
    v->table_size = size;
    for (int i = 0; i < size; i++)
        names[i] = paths[i] = INVENTORY_NONE;
    for (int node = 0; node < v->node_count; node++) {
        enter(v, false, node);
        enter(v, true, node);
    }
    return true;
}

/* ---- nodes ---- */

static bool room_for_node(struct inventory *v)
{
    if (v->node_count < v->node_capacity)
        return true;
    int capacity = v->node_capacity ? 2 * v->node_capacity : NODES_FIRST;
    struct inventory_node *nodes = realloc(v->nodes, (size_t)capacity * sizeof *nodes);
    if (!nodes)
        return false;
    v->nodes = nodes;
    v->node_capacity = capacity;
    return grow_tables(v, 4 * capacity);
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
    if (!node.name || !node.path || !room_for_node(v)) {
        v->failed = true;
        return INVENTORY_NONE;
    }
    int number = v->node_count++;
    v->nodes[number] = node;
    hang(v, number, parent);
    enter(v, false, number);
    enter(v, true, number);
    return number;
}

static bool is_below(const struct inventory *v, int node, int top)
{
    for (; node != INVENTORY_NONE; node = v->nodes[node].parent)
        if (node == top)
            return true;
    return false;
}

static void unhang(struct inventory *v, int node)
{
    int parent = v->nodes[node].parent, previous = INVENTORY_NONE;
    if (parent == INVENTORY_NONE)
        return;
    struct inventory_node *p = &v->nodes[parent];
    for (int i = p->first_child; i != node; i = v->nodes[i].next_sibling)
        previous = i;
    if (previous == INVENTORY_NONE)
        p->first_child = v->nodes[node].next_sibling;
    else
        v->nodes[previous].next_sibling = v->nodes[node].next_sibling;
    if (p->last_child == node)
        p->last_child = previous;
}

void inventory_move(struct inventory *v, int node, int parent)
{
    if (node == INVENTORY_NONE || is_below(v, parent, node))
        return;
    unhang(v, node);
    hang(v, node, parent);
}

int inventory_find(const struct inventory *v, const char *name)
{
    return find(v, false, name, strlen(name));
}

int inventory_at(const struct inventory *v, const char *path)
{
    return find(v, true, path, strlen(path));
}

int inventory_above(const struct inventory *v, const char *path)
{
    size_t length = strlen(path);
    while (length) {
        do
            length--;
        while (length && path[length] != '/');
        int node = find(v, true, path, length);
        if (node != INVENTORY_NONE)
            return node;
    }
    return INVENTORY_NONE;
}

/* ---- kinds: the words of tables/node_kinds.h ---- */

struct kind_words {
    const char *name, *title, *shown;
};

#define KIND_WORDS(identifier, name, title, shown) {name, title, shown},
static const struct kind_words kinds[] = {NODE_KIND_ROWS(KIND_WORDS)};
#undef KIND_WORDS

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

enum node_kind node_kind_of(const char *name)
{
    for (int kind = 0; kind < NODE_KINDS; kind++)
        if (!strcmp(kinds[kind].name, name))
            return (enum node_kind)kind;
    return NODE_OTHER;
}
