/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets that are busy at the same time and the parts of the machine that their data share, as one
 * graph: data go from a target through parts of which each is nearer to the memory. Whoever knows
 * them fills it; here it is drawn. Words are copied, and may be anything.
 */
#ifndef CUPEL_REPORT_PATH_SHARED_GRAPH_H
#define CUPEL_REPORT_PATH_SHARED_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/report.h"

#define SHARED_NODES_MAX 256
#define SHARED_EDGES_MAX 1024
#define SHARED_RATES     2

/* "read 3.10 GB/s of 3.94 GB/s alone"; without a used one it is not shown. */
struct shared_rate {
    const char *name, *after; /* after: "" or a word */
    double used, limit;       /* bytes/s; NaN: not known */
};

struct shared_node {
    char name[80];
    const char *kind; /* "PCI bridge"; "" */
    struct shared_rate rates[SHARED_RATES];
    double utilisation; /* NaN: not known */
    const char *mark;   /* "limits them": it stands out, in words and form; "" */
    bool is_open;       /* the mark is no finding: it is not known or not decided */
};

struct shared_edge {
    size_t from, to; /* nodes; `to` is nearer to the memory */
};

struct shared_graph {
    struct shared_node nodes[SHARED_NODES_MAX]; /* the targets first */
    size_t target_count, node_count;
    struct shared_edge edges[SHARED_EDGES_MAX];
    size_t edge_count;
};

/* A new node, or NULL where there is no room. */
struct shared_node *shared_graph_add(struct shared_graph *g, const char *name);
/* Once for each pair; nothing where there is no room. */
void shared_graph_link(struct shared_graph *g, size_t from, size_t to);

/* How many steps each node is from the targets at most; returns the largest. Circles end. */
size_t shared_graph_layers(const struct shared_graph *g, size_t layers[SHARED_NODES_MAX]);

/* A tree from the memory down to the targets, a line for each; what several go to stands once. */
void shared_graph_print(const struct shared_graph *g, const struct report_style *style,
                        struct text *out);

/* A figure: targets at the left, boxes with what each part did and can do. Nothing where no two
   targets share anything. */
void shared_graph_draw(const struct shared_graph *g, const char *words, struct text *out);

/* Is there anything to show of it? */
bool shared_rate_is_known(const struct shared_rate *rate);
bool shared_node_has_limit(const struct shared_node *node);

#endif
