/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/report/qualify share. */
#ifndef CUPEL_REPORT_QUALIFY_INTERNAL_H
#define CUPEL_REPORT_QUALIFY_INTERNAL_H

#include "report/document/document.h"
#include "report/path/shared_graph.h"
#include "report/qualify/fleet.h"
#include "report/qualify/qualification.h"

/* Adds the first page, in at most `max_lines` lines. `rest` are words that say where further
   deviations are shown. In qualification_page.c. */
void qualification_add_page(const struct qualification *q, size_t max_lines, const char *rest,
                            struct document *out);

/* Adds a table of at most `max_rows` disks, the worst first; a line counts the others. In
   qualification_table.c. */
void qualification_add_table(const struct qualification *q, size_t max_rows, struct document *out);
enum tone qualification_tone(enum grade grade);
/* Adds the number of disks of each grade in words: "1 failed, 2 not decided, 9 as expected". */
void qualification_add_counts(const struct qualification *q, const size_t counts[],
                              struct text *out);

/* Add what disks share and how much they lose by that: in at most `max_lines` lines, and in detail.
   In sharing_report.c. */
void qualification_add_sharing(const struct sharing *s, size_t max_lines, struct document *out);
void qualification_add_sharing_details(const struct sharing *s, struct document *out);

/* Adds the memory and the processors if they were measured. In component_json.c. */
struct json;
void qualification_json_components(struct json *j, const struct qualification *q);

/* Draws the machine with slow parts marked, as a figure of a page. In machine_figure.c. */
void qualification_draw_machine(const struct qualification *q, struct text *out);

/* Builds the document. In qualification_document.c. */
void qualification_document(const void *what, struct document *out);

#endif
