/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A graph of targets that are busy at the same time, and of the parts of the machine that their
 * data share: data go from a target through parts, each nearer to the memory. The caller fills the
 * graph, and this draws it. Words are copied, and may hold any characters.
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

/* A rate such as "read 3.10 GB/s of 3.94 GB/s alone"; it is shown only when `used` is known. */
struct shared_rate {
    const char *name, *after; /* after: "" or a word */
    double used, limit;       /* bytes/s; NaN: not known */
};

struct shared_node {
    char name[80];
    const char *kind; /* "PCI bridge"; "" */
    struct shared_rate rates[SHARED_RATES];
    double utilisation; /* NaN: not known */
    const char *mark;   /* such as "limits them": highlights the node, in words and form; or "" */
    bool is_open;       /* the mark is not a finding, but unknown or undecided */
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

/* Adds a node; returns NULL when there is no room. */
struct shared_node *shared_graph_add(struct shared_graph *g, const char *name);
/* Adds an edge, once for each pair; does nothing when there is no room. */
void shared_graph_link(struct shared_graph *g, size_t from, size_t to);

/* Computes the longest way of each node from the targets, in steps; returns the largest. Circles
   end. */
size_t shared_graph_layers(const struct shared_graph *g, size_t layers[SHARED_NODES_MAX]);

/* Prints a tree from the memory down to the targets, a line for each; a node with several
   successors has one line. */
void shared_graph_print(const struct shared_graph *g, const struct report_style *style,
                        struct text *out);

/* Draws a figure: targets at the left, boxes with the rates and limits of each part. Nothing when
   no two targets share a part. */
void shared_graph_draw(const struct shared_graph *g, const char *words, struct text *out);

/* Is there anything to show for it? */
bool shared_rate_is_known(const struct shared_rate *rate);
bool shared_node_has_limit(const struct shared_node *node);

#endif
