/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCI prober: nodes for host bridges, bridges and devices, their facts and their links. */
#include "hw/pci/pci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/probers.h"

/* ---- host bridges ---- */

/* Is the name of the form "pci0000:40"? */
static bool is_host(const char *name, size_t length)
{
    if (length < 10 || strncmp(name, "pci", 3) != 0 || name[length - 3] != ':')
        return false;
    for (size_t i = 3; i < length; i++)
        if (i != length - 3 && pci_digit(name[i]) < 0)
            return false;
    return true;
}

static void add_host(struct probe *p, const struct pci_tree *t, size_t first, const char *path)
{
    struct inventory *v = p->inventory;
    int parent = inventory_above(v, path);
    /* The NUMA node of any device below the host; these are consecutive. */
    size_t length = strlen(path), i = first;
    while (i < t->count && !strncmp(t->functions[i].path, path, length) &&
           t->functions[i].numa_node < 0)
        i++;
    if (parent == INVENTORY_NONE && i < t->count && !strncmp(t->functions[i].path, path, length)) {
        char name[24];
        snprintf(name, sizeof name, "node%d", t->functions[i].numa_node);
        parent = inventory_find(v, name);
    }
    inventory_add_node(v, NODE_PCI_HOST, strrchr(path, '/') + 1, path,
                       parent == INVENTORY_NONE ? probe_top(p) : parent);
}

/* ---- slots ---- */

struct slots {
    struct sysroot_names names;
    char (*addresses)[16]; /* "0000:41:00", without a function */
};

static void slots_open(struct slots *s, const struct probe *p)
{
    *s = (struct slots){0};
    if (p->pci_dump || sysroot_list(p->root, "/sys/bus/pci/slots", &s->names) != FACT_OK)
        return;
    s->addresses = calloc(s->names.count + 1, sizeof *s->addresses);
    for (size_t i = 0; s->addresses && i < s->names.count; i++) {
        char path[PROBE_FOLDER];
        snprintf(path, sizeof path, "/sys/bus/pci/slots/%s/address", s->names.names[i]);
        sysroot_line(p->root, path, s->addresses[i], sizeof s->addresses[i]);
    }
}

static void add_slot(struct probe *p, int node, const struct pci_function *f,
                     const struct pci_function *above, const struct slots *s)
{
    size_t length = strlen(f->name) - 2;
    for (size_t i = 0; s->addresses && i < s->names.count; i++)
        if (strlen(s->addresses[i]) == length && !strncmp(f->name, s->addresses[i], length)) {
            inventory_add(p->inventory, node, "slot", s->names.names[i], NULL, "/sys/bus/pci/slots",
                          FACT_OK);
            return;
        }
    if (above && above->registers.slot)
        inventory_add_number(p->inventory, node, "slot", above->registers.slot, NULL,
                             PCI_CONFIG_SOURCE);
}

/* ---- the tree ---- */

/* Sorts by the kernel's folders: a parent comes first, siblings in the order of their addresses. */
static int compare_paths(const void *a, const void *b)
{
    const struct pci_function *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->name, y->name);
}

/* The function whose folder is the parent of that of `f`. */
static const struct pci_function *function_above(const struct pci_tree *t,
                                                 const struct pci_function *f)
{
    const char *path = f->path, *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0, low = 0, high = slash ? t->count : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *other = t->functions[middle].path;
        int order = strncmp(other, path, length);
        if (!order && !other[length])
            return &t->functions[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void add_function(struct probe *p, const struct pci_tree *t, size_t i,
                         const struct pci_names *n, const struct slots *s)
{
    struct pci_function *f = &t->functions[i];
    const struct pci_function *above = function_above(t, f);
    /* Adds a node for every host bridge on the way to the function: usually one, two behind Intel's
       VMD. */
    char path[PROBE_FOLDER];
    const char *whole = t->functions[i].path;
    for (const char *slash = strchr(whole, '/'); slash;) {
        const char *next = strchr(slash + 1, '/');
        if (next && is_host(slash + 1, (size_t)(next - slash - 1))) {
            span_copy(path, (struct span){whole, (size_t)(next - whole)});
            if (inventory_at(p->inventory, path) == INVENTORY_NONE)
                add_host(p, t, i, path);
        }
        slash = next;
    }
    int parent = inventory_above(p->inventory, f->path);
    int node =
        inventory_add_node(p->inventory, f->is_bridge ? NODE_PCI_BRIDGE : NODE_PCI_DEVICE, f->name,
                           f->path, parent == INVENTORY_NONE ? probe_top(p) : parent);
    f->role = pci_link_role(f, above);
    pci_facts_add(p, node, f, n);
    add_slot(p, node, f, above, s);
    const struct pci_function *port = above && above->role == PCI_ROLE_PORT ? above : NULL;
    if (f->role == PCI_ROLE_CARD || f->role == PCI_ROLE_UPSTREAM)
        pci_link_add(p, node, f, port, false);
    if (f->role == PCI_ROLE_VIRTUAL)
        for (size_t other = 0; other < t->count; other++)
            if (!strcmp(t->functions[other].name, f->physical))
                pci_link_add(p, node, &t->functions[other], port, true);
    pci_facts_add_express(p, node, f);
}

void look_at_pci(struct probe *p)
{
    struct pci_tree tree = {0};
    struct pci_names names;
    struct slots slots;
    if (p->pci_dump)
        pci_tree_from_dump(&tree, p->pci_dump);
    else
        pci_tree_from_sysfs(&tree, p->root);
    if (tree.count) {
        qsort(tree.functions, tree.count, sizeof *tree.functions, compare_paths);
        pci_names_open(&names, p, &tree);
        slots_open(&slots, p);
        for (size_t i = 0; i < tree.count; i++)
            add_function(p, &tree, i, &names, &slots);
        pci_names_close(&names);
        sysroot_names_free(&slots.names);
        free(slots.addresses);
    }
    pci_tree_free(&tree);
}
