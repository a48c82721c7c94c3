/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a data path: which parts follow a part, and where legs in parallel meet. */
#ifndef CUPEL_REPORT_PATH_INTERNAL_H
#define CUPEL_REPORT_PATH_INTERNAL_H

#include "report/path/path.h"

/* Edges to parts that are not there count as none. */

enum { PART_SET_WORDS = (RESULT_PARTS_MAX + 63) / 64 };

struct part_set {
    uint64_t bits[PART_SET_WORDS];
};

bool part_set_has(const struct part_set *s, size_t part);
void part_set_put(struct part_set *s, size_t part);
void part_set_join(struct part_set *s, const struct part_set *other);

struct path_graph {
    const struct path_view *path;
    struct part_set reach[RESULT_PARTS_MAX]; /* itself, and what its data go through */
};

void path_graph_make(struct path_graph *g, const struct path_view *path);

/* Is it an edge between two parts of the path? */
bool path_graph_has(const struct path_view *path, const struct result_edge *edge);

/* How many parts the data of `part` go to next; *first is one of them. */
size_t path_graph_legs(const struct path_graph *g, size_t part, size_t *first);

/* The first disk, interface or remote storage that has no limit on one of its ways, its own nor
   that of any part after it; -1: all have. */
int path_graph_unlimited(const struct path_graph *g);

/* Fills `common` with what all legs of `part` go through; returns the part of it that comes first,
   or -1 when they never meet. */
int path_graph_meeting(const struct path_graph *g, size_t part, struct part_set *common);

#endif
