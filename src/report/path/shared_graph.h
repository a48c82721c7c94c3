/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A graph of targets that are busy at the same time, and of the parts of the machine that their
 * data share. Data go from a target through parts, each one nearer to the memory. The caller fills
 * the graph; functions here draw it. Words are copied, and may contain any characters.
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

/* A rate such as "read 3.10 GB/s of 3.94 GB/s alone". It is shown only if `used` is known. */
struct shared_rate {
    const char *name, *after; /* `after`: "", or a word such as "alone" */
    double used, limit;       /* bytes/s; NaN: not known */
};

struct shared_node {
    char name[80];
    const char *kind; /* kind of the part, such as "PCI bridge", or "" */
    struct shared_rate rates[SHARED_RATES];
    double utilisation; /* NaN: not known */
    const char *mark;   /* finding such as "limits them", which highlights the node; or "" */
    bool is_open;       /* the mark says that something is unknown or undecided */
};

struct shared_edge {
    size_t from, to; /* indices of nodes; `to` is nearer to the memory */
};

struct shared_graph {
    struct shared_node nodes[SHARED_NODES_MAX]; /* targets come first */
    size_t target_count, node_count;
    struct shared_edge edges[SHARED_EDGES_MAX];
    size_t edge_count;
};

/* Adds a node; returns NULL when the graph is full. */
struct shared_node *shared_graph_add(struct shared_graph *g, const char *name);
/* Adds an edge unless the graph has it. Does nothing when the graph is full. */
void shared_graph_link(struct shared_graph *g, size_t from, size_t to);

/* Sets layers[node] to the number of steps of the longest way from a target to the node. Returns
   the largest number. The search also ends if the graph has circles. */
size_t shared_graph_layers(const struct shared_graph *g, size_t layers[SHARED_NODES_MAX]);

/* Prints a tree from the memory down to the targets, with one line for each node, even if data go
   from it to several parts. */
void shared_graph_print(const struct shared_graph *g, const struct report_style *style,
                        struct text *out);

/* Draws the graph as a figure: targets at the left, then a box for each part with its rates and
   limits. Draws nothing if no two targets share a part. */
void shared_graph_draw(const struct shared_graph *g, const char *words, struct text *out);

/* Return true if the rate was measured, and if the node has a known limit. */
bool shared_rate_is_known(const struct shared_rate *rate);
bool shared_node_has_limit(const struct shared_node *node);

#endif
