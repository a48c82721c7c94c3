/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/qualify share. */
#ifndef CUPEL_REPORT_QUALIFY_INTERNAL_H
#define CUPEL_REPORT_QUALIFY_INTERNAL_H

#include "report/layout/layout.h"
#include "report/qualify/qualification.h"

/* qualification_page.c: the page with at most `max_lines` lines of deviations. */
void qualification_add_page(const struct qualification *q, const struct report_style *style,
                            size_t max_lines, struct text *out);
enum tone qualification_tone(enum grade grade);

/* The formats: qualification_text.c, qualification_records.c. */
void qualification_print_text(const struct qualification *q, const struct report_style *style,
                              struct text *out);
void qualification_print_csv(const struct qualification *q, const struct report_style *style,
                             struct text *out);
void qualification_print_json(const struct qualification *q, const struct report_style *style,
                              struct text *out);

#endif
