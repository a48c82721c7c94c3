/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that draw a data path share: a line for each part, and the words below all. */
#ifndef CUPEL_REPORT_PATH_DRAWING_H
#define CUPEL_REPORT_PATH_DRAWING_H

#include "report/path.h"
#include "report/path_graph.h"

enum { PATH_NAME_LEAST = 20 }; /* columns for a name and what stands before it */

struct drawing {
    const struct path_view *path;
    const struct report_style *style;
    struct text *out;
    struct path_graph graph;
    struct part_set drawn; /* parts that have a line */
};

/* path_line.c: columns before the first number. */
size_t path_name_width(const struct drawing *d);

/* What is in which column. */
void path_print_header(const struct drawing *d);

/* `next_prefix` stands before what is below the part. */
void path_print_part(const struct drawing *d, const char *prefix, const char *next_prefix,
                     size_t number);
/* "-> md0, above": a part that has its line elsewhere. */
void path_print_reference(const struct drawing *d, const char *prefix, size_t number,
                          const char *where);

/* path_summary.c: what the whole lets through, and what is not known of it. */
void path_print_whole(const struct drawing *d);

/* What was watched beside the path, the busiest first. */
void path_print_beside(struct drawing *d);

#endif
