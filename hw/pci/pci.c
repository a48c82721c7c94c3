/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds nodes for PCI host bridges, bridges and devices, their links, and their facts: what a
 * function is, its place, its registers, its errors.
 */
#include "hw/pci/pci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/probers.h"
#include "tables/pci_class.h"

struct class_name {
    unsigned code, mask;
    const char *name;
};

#define CLASS_NAME(code, mask, name) {code, mask, name},

static const struct class_name class_names[] = {PCI_CLASS_ROWS(CLASS_NAME)};

/* ---- identity ---- */

#define SOURCE_BYTES 96

/* Writes the source of a fact to `to`, of SOURCE_BYTES, and returns it. Nearly every fact has one,
   so printf would take most of the prober's time. */
static const char *source_of(const struct probe *p, const struct pci_function *f, const char *file,
                             char *to)
{
    char folder[SOURCE_BYTES];
    if (p->pci_dump)
        return f->from_text ? PCI_TEXT_SOURCE : PCI_CONFIG_SOURCE;
    sysroot_join(folder, sizeof folder, PCI_FOLDER, f->name);
    return sysroot_join(to, SOURCE_BYTES, folder, file);
}

static void add_text(struct probe *p, int node, const struct pci_function *f, const char *key,
                     const char *file, const char *text)
{
    char source[SOURCE_BYTES];
    inventory_add(p->inventory, node, key, text, NULL, source_of(p, f, file, source), FACT_OK);
}

/* Adds a name such as "Intel Corporation NVMe Datacenter SSD", "Intel Corporation [8086:0a54]" or
   "[8086:0a54]". */
static void add_name(struct probe *p, int node, const struct pci_function *f,
                     const struct pci_names *n)
{
    struct pci_name wanted = {.id = pci_names_id(f)}, *found = NULL;
    char vendor[128] = "", device[160], source[SOURCE_BYTES];
    if (n->count)
        found = bsearch(&wanted, n->rows, n->count, sizeof *n->rows, pci_names_compare);
    if (f->said && (!found || !found->device.length)) {
        add_text(p, node, f, "device_name", "device", f->said);
        return;
    }
    if (!found || !found->device.length)
        snprintf(device, sizeof device, "[%04x:%04x]", f->vendor_id, f->device_id);
    if (found && found->vendor.length)
        span_printable(vendor, sizeof vendor, found->vendor);
    if (found && found->device.length)
        span_printable(device, sizeof device, found->device);
    inventory_addf(p->inventory, node, "device_name", NULL,
                   *vendor ? "pci.ids" : source_of(p, f, "device", source), "%s%s%s", vendor,
                   *vendor ? " " : "", device);
}

/* Returns the name of the class, or writes its number to `to`. */
static const char *class_of(const struct pci_function *f, char *to, size_t size)
{
    for (size_t i = 0; i < sizeof class_names / sizeof *class_names; i++)
        if ((f->class & class_names[i].mask) == class_names[i].code)
            return class_names[i].name;
    snprintf(to, size, "0x%06x", f->class);
    return to;
}

/* Writes "0x1af4", with at least `digits` digits, and returns it. `to` has room for eight digits
   and three more bytes. */
static const char *write_id(char *to, unsigned value, int digits)
{
    while (digits < 8 && value >> 4 * digits)
        digits++;
    to[0] = '0';
    to[1] = 'x';
    for (int i = digits; i-- > 0; value >>= 4)
        to[2 + i] = "0123456789abcdef"[value & 0xf];
    to[2 + digits] = '\0';
    return to;
}

static void add_identity(struct probe *p, int node, const struct pci_function *f,
                         const struct pci_names *n)
{
    char text[16];
    if (f->from_text && f->class)
        add_text(p, node, f, "class", "class", class_of(f, text, sizeof text));
    if (f->from_text && f->said)
        add_text(p, node, f, "device_name", "device", f->said);
    if (f->from_text)
        return;
    if (!f->identified) {
        char source[SOURCE_BYTES];
        inventory_add(p->inventory, node, "device_name", "", NULL,
                      source_of(p, f, "vendor", source), FACT_INVALID);
        return;
    }
    add_name(p, node, f, n);
    add_text(p, node, f, "vendor_id", "vendor", write_id(text, f->vendor_id, 4));
    add_text(p, node, f, "device_id", "device", write_id(text, f->device_id, 4));
    add_text(p, node, f, "class", "class", class_of(f, text, sizeof text));
    add_text(p, node, f, "revision", "revision", write_id(text, f->revision, 2));
}

static void add_register(struct probe *p, int node, const struct pci_function *f, const char *key,
                         unsigned value)
{
    const enum fact_status status = f->registers.status;
    if (status == FACT_OK && value)
        inventory_add_number(p->inventory, node, key, value, "bytes",
                             f->from_text ? PCI_TEXT_SOURCE : PCI_CONFIG_SOURCE);
    else if (!f->from_text)
        inventory_add(p->inventory, node, key, "", "bytes", PCI_CONFIG_SOURCE,
                      status == FACT_OK ? FACT_INVALID : status);
}

/* ---- all facts of a function ---- */

static void pci_facts_add(struct probe *p, int node, const struct pci_function *f,
                          const struct pci_names *names)
{
    char source[SOURCE_BYTES], text[16];
    unsigned base_class = f->class >> 16;
    /* A disk or network controller without a driver does nothing; the missing driver is then a
       fact. */
    bool wants_driver = !p->pci_dump && (base_class == 0x01 || base_class == 0x02);
    add_identity(p, node, f, names);
    if (f->driver_status != FACT_ABSENT || wants_driver)
        inventory_add(p->inventory, node, "driver", f->driver, NULL,
                      source_of(p, f, "driver", source), f->driver_status);
    snprintf(text, sizeof text, "%d", f->numa_node);
    if (f->numa_node >= 0)
        add_text(p, node, f, "numa_node", "numa_node", text);
    if (f->power_state[0] && strcmp(f->power_state, "D0") != 0)
        add_text(p, node, f, "power_state", "power_state", f->power_state);
    if (f->physical[0])
        add_text(p, node, f, "physical_function", "physfn", f->physical);
}

/* Adds the facts of PCI Express only: payload sizes, ASPM, AER. */
static void pci_facts_add_express(struct probe *p, int node, const struct pci_function *f)
{
    static const char *const aspm_words[] = {"off", "L0s", "L1", "L0s L1"};
    static const char *const keys[PCI_ERRORS] = {"aer_correctable", "aer_nonfatal", "aer_fatal"};
    const struct pci_registers *r = &f->registers;
    /* Functions without the PCI Express capability do not have these registers. */
    if (f->role != PCI_ROLE_VIRTUAL && r->status != FACT_ABSENT) {
        add_register(p, node, f, "max_payload", r->payload);
        add_register(p, node, f, "max_payload_capable", r->payload_capable);
        add_register(p, node, f, "max_read_request", r->read_request);
        const char *aspm = aspm_words[r->aspm & 3];
        if (f->has_aspm_files)
            add_text(p, node, f, "aspm", "link", aspm);
        else if (!f->from_text && (r->status != FACT_OK || f->role != PCI_ROLE_NONE))
            inventory_add(p->inventory, node, "aspm", aspm, NULL, PCI_CONFIG_SOURCE, r->status);
    }
    for (int i = 0; i < PCI_ERRORS; i++) {
        char source[SOURCE_BYTES];
        const char *from = source_of(p, f, pci_error_files[i], source);
        if (f->error_status[i] == FACT_OK)
            inventory_add_number(p->inventory, node, keys[i], f->errors[i], NULL, from);
        else if (f->error_status[i] != FACT_ABSENT)
            inventory_add(p->inventory, node, keys[i], "", NULL, from, f->error_status[i]);
    }
}

/* ---- host bridges ---- */

/* Returns true for a name of the form "pci0000:40". */
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
    /* Takes the NUMA node of any device below the host; these are consecutive in the list. */
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
    char (*addresses)[16]; /* addresses "0000:41:00", without the function */
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

/* Returns the function whose folder is the parent of that of `f`; NULL: there is none. */
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

/* Returns the role of `f`, which depends on the function above it (NULL: a host bridge). */
static enum pci_role pci_link_role(const struct pci_function *f, const struct pci_function *above)
{
    enum pci_role over = above ? above->role : PCI_ROLE_NONE;
    if (f->physical[0])
        return PCI_ROLE_VIRTUAL;
    if (f->registers.status == FACT_OK)
        return f->registers.role;
    if (!f->has_link_files)
        return PCI_ROLE_NONE;
    if (f->is_bridge)
        return over == PCI_ROLE_PORT ? PCI_ROLE_UPSTREAM : PCI_ROLE_PORT;
    if (over == PCI_ROLE_PORT)
        return PCI_ROLE_CARD;
    /* A device on the root bus is integrated when it has no link; otherwise its port is hidden, as
       in a guest. */
    return f->runs.lanes ? PCI_ROLE_CARD : PCI_ROLE_NONE;
}

static void add_function(struct probe *p, const struct pci_tree *t, size_t i,
                         const struct pci_names *n, const struct slots *s)
{
    struct pci_function *f = &t->functions[i];
    const struct pci_function *above = function_above(t, f);
    /* Adds a node for every host bridge on the way to the function: usually one, but two behind
       Intel's VMD. */
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
