/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/qualify share. */
#ifndef CUPEL_REPORT_QUALIFY_INTERNAL_H
#define CUPEL_REPORT_QUALIFY_INTERNAL_H

#include "report/document/document.h"
#include "report/path/shared_graph.h"
#include "report/qualify/fleet.h"
#include "report/qualify/qualification.h"

/* qualification_page.c: adds the page, of at most `max_lines` lines; `rest` says where the others
   are. */
void qualification_add_page(const struct qualification *q, size_t max_lines, const char *rest,
                            struct document *out);

/* qualification_table.c: adds at most `max_rows` disks, the worst first; a line counts the
   others. */
void qualification_add_table(const struct qualification *q, size_t max_rows, struct document *out);
enum tone qualification_tone(enum grade grade);
/* Adds "1 failed, 2 not decided, 9 as expected", from the number of disks of each grade. */
void qualification_add_counts(const struct qualification *q, const size_t counts[],
                              struct text *out);

/* sharing_report.c: adds what disks share and how much they lose by it, in at most `max_lines`
   lines; and in words. */
void qualification_add_sharing(const struct sharing *s, size_t max_lines, struct document *out);
void qualification_add_sharing_details(const struct sharing *s, struct document *out);

/* component_records.c: adds the memory and the processors, as far as they were measured. */
struct json;
void qualification_json_components(struct json *j, const struct qualification *q);

/* machine_figure.c: draws the machine with what is slow marked, as a figure of a page. */
void qualification_draw_machine(const struct qualification *q, struct text *out);

/* qualification_document.c */
void qualification_document(const void *what, struct document *out);

#endif
