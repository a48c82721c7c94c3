/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a prober on a tree of the test's own and checks the facts that it adds.
 */
#ifndef TESTS_UNIT_INVENTORY_CHECKS_H
#define TESTS_UNIT_INVENTORY_CHECKS_H

#include "check.h"
#include "tree.h"

#include "hw/probers.h"

/* machine_end frees it. */
struct machine {
    struct tree tree;
    struct inventory inventory;
    struct probe probe;
};

static inline void machine_begin(struct machine *m)
{
    *m = (struct machine){0};
    tree_begin(&m->tree);
    m->probe = (struct probe){.root = &m->tree.root, .inventory = &m->inventory};
    probe_top(&m->probe);
}

static inline void machine_end(struct machine *m)
{
    CHECK(!m->inventory.failed);
    inventory_free(&m->inventory);
    tree_end(&m->tree);
}

/* Probes the same tree again, with an empty inventory. */
static inline void machine_forget(struct machine *m)
{
    inventory_free(&m->inventory);
    probe_top(&m->probe);
}

static inline const struct inventory_fact *fact_of(const struct machine *m, const char *node,
                                                   const char *key)
{
    return inventory_fact(&m->inventory, inventory_find(&m->inventory, node), key);
}

static inline void check_value(const struct machine *m, const char *node, const char *key,
                               const char *value, const char *unit, const char *file, int line)
{
    char what[128];
    const struct inventory_fact *fact = fact_of(m, node, key);
    snprintf(what, sizeof what, "%s: %s", node, key);
    if (!check_that(fact != NULL, file, line, what)) {
        return;
    }
    check_int(fact->status, FACT_OK, file, line, what);
    check_str(fact->value, value, file, line, what);
    check_str(fact->unit, unit, file, line, what);
}

static inline void check_status(const struct machine *m, const char *node, const char *key,
                                enum fact_status status, const char *file, int line)
{
    char what[128];
    const struct inventory_fact *fact = fact_of(m, node, key);
    snprintf(what, sizeof what, "status of %s: %s", node, key);
    if (check_that(fact != NULL, file, line, what)) {
        check_int(fact->status, status, file, line, what);
    }
}

static inline void check_parent(const struct machine *m, const char *node, const char *parent,
                                const char *file, int line)
{
    int number = inventory_find(&m->inventory, node);
    if (check_that(number != INVENTORY_NONE, file, line, node)) {
        int above = m->inventory.nodes[number].parent;
        check_str(above == INVENTORY_NONE ? "" : m->inventory.nodes[above].name, parent, file, line,
                  node);
    }
}

#define VALUE_IS(m, node, key, value, unit)                                                        \
    check_value((m), (node), (key), (value), (unit), __FILE__, __LINE__)
#define STATUS_IS(m, node, key, status)                                                            \
    check_status((m), (node), (key), (status), __FILE__, __LINE__)
#define NO_FACT(m, node, key)    CHECK(fact_of((m), (node), (key)) == NULL)
#define PARENT_IS(m, node, name) check_parent((m), (node), (name), __FILE__, __LINE__)

#endif
