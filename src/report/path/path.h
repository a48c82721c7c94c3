/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data paths as a report shows them: a graph from the target to the processor, with what each part
 * can do and, after a run, what it did.
 */
#ifndef CUPEL_REPORT_PATH_PATH_H
#define CUPEL_REPORT_PATH_PATH_H

#include "base/json.h"
#include "base/text.h"
#include "facts/result.h"
#include "report/report.h"

/* Points into somebody else's arrays; part 0 is the target. */
struct path_view {
    const char *target;                /* as the user named it */
    const struct inventory *inventory; /* with the facts of the parts, found by name; or NULL */
    const struct result_part *parts;
    size_t part_count;
    const struct result_edge *edges;
    size_t edge_count;
    double limit_read, limit_write;    /* bytes/s of the whole path; NaN: not known */
    int limiting_read, limiting_write; /* the part that sets it, -1: none */
    bool complete;                     /* nothing between target and processor is unknown */
    bool measured;                     /* the parts have figures of a run */
};

/* The path of a result; without parts it has none. */
struct path_view path_of_result(const struct result *r);

/* Has it any part from the target on? A run without has those that were watched beside it. */
bool path_is_known(const struct path_view *p);

/* The first part whose data go straight through `part`, or -1 for the target. */
int path_above(const struct path_view *p, size_t part);

/* The graph as a tree from the target down, a line for each part; legs that meet again go on
   together below them. With a run's figures: measured beside possible, utilisation, and what was
   watched beside the path, which stands alone when no path is known. */
void path_print(const struct path_view *p, const struct report_style *style, struct text *out);

/* The same as a figure of a page: boxes from the target down, with bars for how much was in use.
   Nothing where it has no room, or no part is known. */
void path_draw(const struct path_view *p, struct text *out);

/* The members "parts", "edges" and the limits of an object that is open. */
void path_add_json(const struct path_view *p, struct json *j);

#endif
