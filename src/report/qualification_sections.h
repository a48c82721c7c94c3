/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a qualification's reports, one file each. */
#ifndef CUPEL_REPORT_QUALIFICATION_SECTIONS_H
#define CUPEL_REPORT_QUALIFICATION_SECTIONS_H

#include "report/layout.h"
#include "report/qualification.h"

/* qualification_page.c: the page with at most `most` lines of deviations. */
void qualification_add_page(const struct qualification *q, const struct report_style *style,
                            size_t most, struct text *out);
enum tone qualification_tone(enum grade grade);

/* qualification_text.c, qualification_csv.c, qualification_json.c */
void qualification_print_text(const struct qualification *q, const struct report_style *style,
                              struct text *out);
void qualification_print_csv(const struct qualification *q, const struct report_style *style,
                             struct text *out);
void qualification_print_json(const struct qualification *q, const struct report_style *style,
                              struct text *out);

/* What was measured in a test, in the order of the reports. */
#define QUALIFICATION_ROWS 4
const struct result_row *qualification_row(const struct qualification_test *test, size_t i);

/* The test of that name, or NULL. */
const struct qualification_test *qualification_test_of(const struct qualification_device *device,
                                                       const char *name);

#endif
