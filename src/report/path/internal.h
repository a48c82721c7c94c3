/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a data path: which parts follow a part, and where legs in parallel meet. */
#ifndef CUPEL_REPORT_PATH_INTERNAL_H
#define CUPEL_REPORT_PATH_INTERNAL_H

#include "report/path/path.h"

/* An edge to a part that does not exist is ignored. */

enum { PART_SET_WORDS = (RESULT_PARTS_MAX + 63) / 64 };

struct part_set {
    uint64_t bits[PART_SET_WORDS];
};

struct path_graph {
    const struct path_view *path;
    struct part_set reach[RESULT_PARTS_MAX]; /* the part itself, and the parts that its data go
                                                through */
};

void path_graph_make(struct path_graph *g, const struct path_view *path);

/* Is it an edge between two parts of the path? */
bool path_graph_has(const struct path_view *path, const struct result_edge *edge);

/* Returns the first disk, interface or remote storage with a way on which neither it nor any later
   part has a limit; -1: there is no such part. */
int path_graph_unlimited(const struct path_graph *g);

#endif
