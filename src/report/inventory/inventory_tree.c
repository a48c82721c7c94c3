/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the tree of devices. Unless all are requested, devices that neither store nor carry data
   are only counted, and facts that other sections show are left out. */
#include <stdlib.h>
#include <string.h>

#include "report/document/document.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/fact_words.h"
#include "tables/pci_class.h"

enum { PREFIX = 200, NAME_BYTES = 24 };

#define CLASS_NAME(code, mask, name) {code, name},
static const struct {
    unsigned code;
    const char *name;
} classes[] = {PCI_CLASS_ROWS(CLASS_NAME)};
#undef CLASS_NAME

struct tree {
    const struct inventory *inventory;
    bool all;
    struct document *out;
    bool *shown; /* [node_count], true: the node, or a node attached to it, has a line */
};

/* Returns true for a storage controller, a network controller or a Fibre Channel adapter without
   child nodes. The kernel attaches children only if it has a driver; a PCI listing by lspci never
   has children. */
static bool is_bare_adapter(const struct inventory *v, int node)
{
    const char *class = inventory_value(v, node, "class");
    if (v->nodes[node].kind != NODE_PCI_DEVICE || v->nodes[node].first_child != INVENTORY_NONE ||
        !class)
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(class, classes[i].name))
            return classes[i].code >> 16 == 0x01 || classes[i].code >> 16 == 0x02 ||
                   classes[i].code == 0x0c0400;
    return false;
}

static bool is_of_interest(const struct inventory *v, int node)
{
    const struct inventory_node *n = &v->nodes[node];
    if (node_kind_is(n->kind, KIND_IN_TREE))
        return true;
    /* Network interfaces without a device are virtual: bridges, tunnels. */
    if (n->kind == NODE_NETWORK)
        return n->parent != INVENTORY_NONE && v->nodes[n->parent].kind != NODE_MACHINE;
    return findings_of_link(v, node) || is_bare_adapter(v, node);
}

/* Counts this node and all nodes below it: devices that one line, "and 3 other devices",
   replaces. */
static size_t count_hidden(const struct tree *t, int node)
{
    const struct inventory *v = t->inventory;
    if (node_kind_is(v->nodes[node].kind, KIND_IN_SECTION))
        return 0;
    size_t count = 1;
    for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling)
        count += count_hidden(t, i);
    return count;
}

static void add_node_words(const struct tree *t, int node, struct text *words)
{
    const struct inventory *v = t->inventory;
    const struct inventory_node *n = &v->nodes[node];
    bool is_pci = n->kind == NODE_PCI_DEVICE || n->kind == NODE_PCI_BRIDGE;
    const char *title = node_kind_title(n->kind);
    struct text facts = {0};
    if (!t->all)
        fact_add_shown(&facts, v, node);
    bool named = is_pci && !t->all && inventory_value(v, node, "device_name");
    if (!named && strcmp(title, n->name) != 0)
        text_add(words, title);
    text_addf(words, "%s%s", words->length > 0 && facts.length > 0 ? ", " : "",
              layout_string(&facts));
    if (!t->all) {
        bool any = false;
        for (int i = v->nodes[node].first_child; i != INVENTORY_NONE;
             i = v->nodes[i].next_sibling) {
            if (v->nodes[i].kind != NODE_PARTITION)
                continue;
            text_addf(words, "%s%s",
                      any                 ? " "
                      : words->length > 0 ? ", with "
                                          : "with ",
                      v->nodes[i].name);
            any = true;
        }
    }
    words->failed = words->failed || facts.failed;
    text_free(&facts);
}

static bool has_children(const struct tree *t, int node)
{
    for (int i = t->inventory->nodes[node].first_child; i != INVENTORY_NONE;
         i = t->inventory->nodes[i].next_sibling)
        if (t->all || !node_kind_is(t->inventory->nodes[i].kind, KIND_IN_SECTION))
            return true;
    return false;
}

/* Builds `hang`, the text before each further line of a node: `prefix`, the stem of the node's
   children if it has any, and blanks up to `columns`. */
static void make_hang(const struct tree *t, const char *prefix, bool children, size_t columns,
                      struct text *hang)
{
    text_addf(hang, "  %s%s", prefix, children ? layout_stem(&t->out->style, false) : "");
    for (size_t i = layout_length(layout_string(hang)); i < columns; i++)
        text_add(hang, " ");
}

static void print_node(const struct tree *t, int node, const char *branch, const char *prefix)
{
    struct text words = {0}, lead = {0}, hang = {0};
    char name[64];
    add_node_words(t, node, &words);
    text_addf(&lead, "  %s", branch);
    layout_left(&lead,
                layout_shorten(name, sizeof name, t->inventory->nodes[node].name, NAME_BYTES), 0);
    text_add(&lead, "  ");
    size_t columns = layout_length(layout_string(&lead));
    make_hang(t, prefix, has_children(t, node), columns, &hang);
    document_hanging(t->out, layout_string(&lead), layout_string(&hang), layout_string(&words));
    t->out->failed = t->out->failed || words.failed || lead.failed || hang.failed;
    text_free(&words);
    text_free(&lead);
    text_free(&hang);
    if (t->all) {
        fact_add_all(&words, t->inventory, node);
        make_hang(t, prefix, has_children(t, node), layout_length(prefix) + 8, &hang);
        if (words.length > 0)
            document_hanging(t->out, layout_string(&hang), layout_string(&hang),
                             layout_string(&words));
        t->out->failed = t->out->failed || words.failed || hang.failed;
        text_free(&words);
        text_free(&hang);
    }
}

static void draw_children(const struct tree *t, int node, const char *prefix);

/* Draws a node and its children: `branch` begins its own line, `prefix` the lines below it. */
static void draw_node(const struct tree *t, int node, const char *branch, const char *prefix)
{
    print_node(t, node, branch, prefix);
    draw_children(t, node, prefix);
}

static void print_hidden(const struct tree *t, size_t hidden, const char *branch)
{
    if (hidden > 0)
        document_line(t->out, "  %sand %zu other device%s", branch, hidden, hidden == 1 ? "" : "s");
}

/* Writes `before` and `after`, cut to PREFIX bytes. */
static void join_prefix(char to[PREFIX], const char *before, const char *after)
{
    size_t length = strnlen(before, PREFIX - 1), more = strnlen(after, PREFIX - 1 - length);
    memcpy(to, before, length);
    memcpy(to + length, after, more);
    to[length + more] = '\0';
}

static void draw_children(const struct tree *t, int node, const char *prefix)
{
    const struct inventory *v = t->inventory;
    size_t hidden = 0, left = 0;
    for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling) {
        if (t->shown[i])
            left++;
        else
            hidden += count_hidden(t, i);
    }
    char branch[PREFIX], next[PREFIX];
    /* deep children are not indented further */
    bool deep =
        strlen(prefix) + 16 > PREFIX || layout_length(prefix) > layout_width(&t->out->style) / 2;
    for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling) {
        if (!t->shown[i])
            continue;
        bool last = --left == 0 && hidden == 0;
        join_prefix(branch, prefix, deep ? "" : layout_branch(&t->out->style, last));
        join_prefix(next, prefix, deep ? "" : layout_stem(&t->out->style, last));
        draw_node(t, i, branch, next);
    }
    join_prefix(branch, prefix, deep ? "" : layout_branch(&t->out->style, true));
    print_hidden(t, hidden, branch);
}

void inventory_print_tree(const struct inventory *v, bool all, struct document *out)
{
    const struct tree t = {v, all, out, calloc((size_t)v->node_count + 1, sizeof(bool))};
    if (!t.shown) {
        out->failed = true;
        return;
    }
    /* With a node, all nodes above it are shown. The loop ends at a node that is already marked. */
    for (int node = 0; node < v->node_count; node++) {
        if (all)
            t.shown[node] = true;
        else if (is_of_interest(v, node))
            for (int i = node; i != INVENTORY_NONE && !t.shown[i] &&
                               !node_kind_is(v->nodes[i].kind, KIND_IN_SECTION);
                 i = v->nodes[i].parent)
                t.shown[i] = true;
    }
    for (int node = 0; node < v->node_count; node++) {
        if (v->nodes[node].parent != INVENTORY_NONE)
            continue;
        if (v->nodes[node].kind != NODE_MACHINE || all) {
            if (t.shown[node])
                draw_node(&t, node, "", "");
            continue;
        }
        /* devices attached to the machine itself begin at the left edge */
        size_t hidden = 0;
        for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling)
            if (t.shown[i])
                draw_node(&t, i, "", "");
            else
                hidden += count_hidden(&t, i);
        print_hidden(&t, hidden, "");
    }
    free(t.shown);
}
