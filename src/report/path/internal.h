/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a data path: which parts follow a part, and where parallel legs meet again. */
#ifndef CUPEL_REPORT_PATH_INTERNAL_H
#define CUPEL_REPORT_PATH_INTERNAL_H

#include "report/path/path_view.h"

/* The functions below ignore edges to parts that do not exist. */

enum { PART_SET_WORDS = (RESULT_PARTS_MAX + 63) / 64 };

struct part_set {
    uint64_t bits[PART_SET_WORDS];
};

struct path_graph {
    const struct path_view *path;
    /* reach[p]: part p, and all parts that its data go through */
    struct part_set reach[RESULT_PARTS_MAX];
};

void path_graph_make(struct path_graph *g, const struct path_view *path);

/* Returns true if the edge connects two different parts of the path. */
bool path_graph_has(const struct path_view *path, const struct result_edge *edge);

/* Returns the first disk, network interface or remote storage whose data can reach the processor
   through parts that all have no known limit, itself included. Returns -1 if there is none. */
int path_graph_unlimited(const struct path_graph *g);

#endif
