/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data paths in reports: a graph from the target to the processor, with the limits of each part
 * and, after a run, its measured figures.
 */
#ifndef CUPEL_REPORT_PATH_PATH_VIEW_H
#define CUPEL_REPORT_PATH_PATH_VIEW_H

#include "base/json.h"
#include "base/text.h"
#include "facts/result.h"
#include "report/document/document.h"

/* A view of a data path. It owns none of its arrays. Part 0 is the target. */
struct path_view {
    const char *target;                /* name that the user gave */
    const struct inventory *inventory; /* has the facts of the parts, found by name; or NULL */
    const struct result_part *parts;
    size_t part_count;
    const struct result_edge *edges;
    size_t edge_count;
    double limit_read, limit_write;    /* limits of the whole path in bytes/s; NaN: not known */
    int limiting_read, limiting_write; /* index of the part with the lowest limit; -1: not known */
    bool complete;                     /* all parts between target and processor are known */
    bool measured;                     /* parts have measured figures */
};

/* Returns a view of a result's path, which is empty if the result has no parts. */
struct path_view path_of_result(const struct result *r);

/* Returns true if at least one part of the path is known. Even if none is, a run has parts that
   were watched beside the path. */
bool path_is_known(const struct path_view *p);

/* Returns the first part whose data go directly to `part`, or -1 for the target. */
int path_above(const struct path_view *p, size_t part);

/* Prints the path as a tree from the target down, with a line for each part. Legs that meet again
   continue as one below. After a run it also prints measured and possible rates, utilisation, and
   the parts that were watched beside the path; if no path is known, only the latter. */
void path_print(const struct path_view *p, struct document *out);

/* Draws the path as a figure of a page: boxes from the target down, with bars for utilisation.
   Draws nothing if the boxes do not fit, or no part is known. */
void path_draw(const struct path_view *p, struct text *out);

/* Adds the members "parts", "edges" and the limits to the open object. */
void path_add_json(const struct path_view *p, struct json *j);

#endif
