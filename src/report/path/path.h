/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data paths in reports: a graph from the target to the processor, with the limits of each part
 * and, after a run, its measured figures.
 */
#ifndef CUPEL_REPORT_PATH_PATH_H
#define CUPEL_REPORT_PATH_PATH_H

#include "base/json.h"
#include "base/text.h"
#include "facts/result.h"
#include "report/document/document.h"

/* A view that points into arrays of other owners; part 0 is the target. */
struct path_view {
    const char *target;                /* as named by the user */
    const struct inventory *inventory; /* with the facts of the parts, found by name; or NULL */
    const struct result_part *parts;
    size_t part_count;
    const struct result_edge *edges;
    size_t edge_count;
    double limit_read, limit_write;    /* bytes/s of the whole path; NaN: not known */
    int limiting_read, limiting_write; /* the part that sets the limit; -1: not known */
    bool complete;                     /* everything between target and processor is known */
    bool measured;                     /* the parts have figures from a run */
};

/* Returns the path of a result; a result without parts has none. */
struct path_view path_of_result(const struct result *r);

/* Is any part of the path itself known? A run without a known path still has parts that were
   watched beside it. */
bool path_is_known(const struct path_view *p);

/* Returns the first part whose data go straight through `part`, or -1 for the target. */
int path_above(const struct path_view *p, size_t part);

/* Prints the graph as a tree from the target down, a line for each part; legs that meet again
   continue as one below. After a run: measured beside possible rates, utilisation, and the parts
   that were watched beside the path, which are printed alone when no path is known. */
void path_print(const struct path_view *p, struct document *out);

/* Draws the path as a figure of a page: boxes from the target down, with bars for utilisation.
   Draws nothing when there is no room, or no part is known. */
void path_draw(const struct path_view *p, struct text *out);

/* Adds the members "parts", "edges" and the limits to the open object. */
void path_add_json(const struct path_view *p, struct json *j);

#endif
