/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inventory: what a machine is made of, as a tree of nodes with facts.
 *
 * Nodes and facts are known by their index, which never changes; strings are copied in and stay
 * valid until inventory_free, which frees everything. An inventory of zeros is empty. When memory
 * runs out, `failed` is set and further data are left out: check it once, at the end. One thread at
 * a time; it grows before and after a run, never during the measurement.
 *
 * A node with a link towards the host (PCIe, SATA, SAS, USB, Ethernet) has facts about the link:
 *   capable        the maximum of both ends together, such as "16.0 GT/s x4"
 *   negotiated     the present speed and width, such as "8.0 GT/s x4"; absent: no link
 *   limit          the maximum of bytes/s of payload in one direction, at the negotiated speed
 *   limit_capable  the same, at the capable speed
 *   link_rate      bytes/s after the line's encoding, headers included, at the negotiated speed
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
    const char *name; /* unique name: "0000:41:00.0", "nvme0n1", "eth0" */
    const char *path; /* folder of the node in /sys/devices, without the sysroot; "": none */
    enum node_kind kind;
    int parent; /* index of the node above; INVENTORY_NONE: a top node */
    /* first and last of its children, in the order in which they were added */
    int first_child, last_child;
    int next_sibling;
    int first_fact, last_fact;
    /* a set of hashed keys: if the bit of a key is not set, the node has no fact with that key */
    uint64_t keys;
};

struct inventory_fact {
    const char *key, *value, *unit, *source; /* value is "" unless status is FACT_OK */
    enum fact_status status;
    int next;          /* next fact of the same node; INVENTORY_NONE: the last one */
    uint64_t key_head; /* first eight bytes of the key, for fast comparison */
};

#define INVENTORY_WORD_BITS 7

struct inventory {
    struct inventory_node *nodes;
    struct inventory_fact *facts;
    int node_count, fact_count;
    size_t node_capacity, fact_capacity;
    struct string_table names; /* string number = index of the node with that name */
    struct string_table paths;
    int *path_nodes; /* [paths.count], index of the node with each path */
    struct pool strings;
    /* hash table of keys and units that are already copied */
    const char *words[1 << INVENTORY_WORD_BITS];
    bool failed;
};

void inventory_free(struct inventory *v);

/*
 * Adds a node below `parent`; INVENTORY_NONE adds it at the top. `path` may be NULL. If the name is
 * already used, "#2", "#3" ... is appended to it. Returns the node, or INVENTORY_NONE when memory
 * ran out; the functions below do nothing for INVENTORY_NONE.
 */
int inventory_add_node(struct inventory *v, enum node_kind kind, const char *name, const char *path,
                       int parent);

/* Moves a node and its descendants below another parent. Does nothing when the parent is one of its
   descendants. */
void inventory_move(struct inventory *v, int node, int parent);

int inventory_find(const struct inventory *v, const char *name);
/* inventory_at returns the node with this path; inventory_above the node of the nearest folder
   above it. INVENTORY_NONE: there is none. */
int inventory_at(const struct inventory *v, const char *path);
int inventory_above(const struct inventory *v, const char *path);

/* Append a fact. Control characters are replaced by '?', as the text may come from outside. A
   FACT_OK fact without text becomes FACT_INVALID. The value is kept only if the status is
   FACT_OK. */
void inventory_add(struct inventory *v, int node, const char *key, const char *value,
                   const char *unit, const char *source, enum fact_status status);
void inventory_addf(struct inventory *v, int node, const char *key, const char *unit,
                    const char *source, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void inventory_add_number(struct inventory *v, int node, const char *key, uint64_t value,
                          const char *unit, const char *source);

/* Returns the first fact with this key, or NULL. The pointer is valid until the next fact is
   added. */
const struct inventory_fact *inventory_fact(const struct inventory *v, int node, const char *key);
/* Return the value of the first fact with this key if it is FACT_OK, as a text (or NULL), or as a
   number (or NaN). */
const char *inventory_value(const struct inventory *v, int node, const char *key);
double inventory_number(const struct inventory *v, int node, const char *key);

/* Appends a copy of `node` with its facts to `to`, below `parent`. */
int inventory_copy_node(struct inventory *to, const struct inventory *from, int node, int parent);

const char *node_kind_name(enum node_kind kind);
const char *node_kind_title(enum node_kind kind);
const char *node_kind_shown(enum node_kind kind);
bool node_kind_is(enum node_kind kind, enum node_trait trait);
enum node_kind node_kind_of(const char *name); /* NODE_OTHER: no kind has this name */

#endif
