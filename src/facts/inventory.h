/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inventory: what a machine is made of, as a tree of nodes with facts.
 *
 * Nodes and facts are known by their index, which never changes; strings are copied in and stay
 * valid until inventory_free. An inventory of zeros is empty. When memory runs out `failed` is set
 * and further data are left out: check it once, at the end. Owner: inventory_free. One thread
 * at a time; it grows before and after a run, never while it measures.
 *
 * A node that has a link to the host's side of it (PCIe, SATA, SAS, USB, Ethernet) has facts about
 * the link:
 *   capable        the maximum of both ends together, such as "16.0 GT/s x4"
 *   negotiated     what it runs at, such as "8.0 GT/s x4"; absent: no link
 *   limit          the most bytes/s of payload in one direction, as negotiated
 *   limit_capable  the same, as capable
 *   link_rate      bytes/s after the line's encoding, as negotiated, headers included
 *   degraded       yes or no: it runs slower than both ends can
 *   degraded_reason  why, if that is visible: "the port has 2 lanes, the card 4"
 */
#ifndef CUPEL_FACTS_INVENTORY_H
#define CUPEL_FACTS_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/string_table.h"
#include "facts/fact.h"
#include "tables/node_kinds.h"

#define INVENTORY_NONE (-1)

struct inventory_node {
    const char *name; /* unique: "0000:41:00.0", "nvme0n1", "eth0" */
    const char *path; /* its folder below /sys/devices, without the root; "" when it has none */
    enum node_kind kind;
    int parent;                  /* index of a node; INVENTORY_NONE at the top */
    int first_child, last_child; /* children are in the order in which they were added */
    int next_sibling;
    int first_fact, last_fact;
    uint64_t keys; /* one bit for each key of its facts: if a bit is not set, the node has no such
                      fact */
};

struct inventory_fact {
    const char *key, *value, *unit, *source; /* value is "" unless status is FACT_OK */
    enum fact_status status;
    int next;          /* the next fact of the same node; INVENTORY_NONE at the end */
    uint64_t key_head; /* the first eight bytes of the key, for a fast comparison */
};

#define INVENTORY_WORD_BITS 7

struct inventory {
    struct inventory_node *nodes;
    struct inventory_fact *facts;
    int node_count, fact_count;
    size_t node_capacity, fact_capacity;
    struct string_table names; /* the number of a name is the index of its node */
    struct string_table paths;
    int *path_nodes; /* indexed by the path's number */
    struct pool strings;
    const char *words[1 << INVENTORY_WORD_BITS]; /* keys and units that were copied already */
    bool failed;
};

void inventory_free(struct inventory *v);

/*
 * Adds a node; `path` may be NULL. The parent INVENTORY_NONE puts it at the top. If the name is
 * taken it gets "#2", "#3" ... Returns the node, or INVENTORY_NONE when memory ran out; the
 * functions below accept that and do nothing.
 */
int inventory_add_node(struct inventory *v, enum node_kind kind, const char *name, const char *path,
                       int parent);

/* Move a node, and everything below it, to another parent. Does nothing when the parent lies below
   the node. */
void inventory_move(struct inventory *v, int node, int parent);

int inventory_find(const struct inventory *v, const char *name);
/* The node with that path; if there is none, the node of the nearest folder above. */
int inventory_at(const struct inventory *v, const char *path);
int inventory_above(const struct inventory *v, const char *path);

/* Append a fact. Text from outside may hold anything: control characters become '?'. An OK fact
   without any text becomes FACT_INVALID; the value is dropped unless the status is OK. */
void inventory_add(struct inventory *v, int node, const char *key, const char *value,
                   const char *unit, const char *source, enum fact_status status);
void inventory_addf(struct inventory *v, int node, const char *key, const char *unit,
                    const char *source, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void inventory_add_number(struct inventory *v, int node, const char *key, uint64_t value,
                          const char *unit, const char *source);

/* The first fact of that key, or NULL. Valid until the next fact is added. */
const struct inventory_fact *inventory_fact(const struct inventory *v, int node, const char *key);
/* The fact's value when it is OK, or NULL; the second function gives it as a number, or NaN. */
const char *inventory_value(const struct inventory *v, int node, const char *key);
double inventory_number(const struct inventory *v, int node, const char *key);

/* Append a copy of `node` with its facts to `to`, below `parent`. */
int inventory_copy_node(struct inventory *to, const struct inventory *from, int node, int parent);

const char *node_kind_name(enum node_kind kind);
const char *node_kind_title(enum node_kind kind);
const char *node_kind_shown(enum node_kind kind);
bool node_kind_is(enum node_kind kind, enum node_trait trait);
enum node_kind node_kind_of(const char *name); /* NODE_OTHER when no kind has that name */

#endif
