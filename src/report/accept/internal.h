/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/accept share. */
#ifndef CUPEL_REPORT_ACCEPT_INTERNAL_H
#define CUPEL_REPORT_ACCEPT_INTERNAL_H

#include "report/accept/acceptance_report.h"

void acceptance_print_text(const struct acceptance *a, const struct report_style *style,
                           struct text *out);
void acceptance_print_csv(const struct acceptance *a, const struct report_style *style,
                          struct text *out);
void acceptance_print_json(const struct acceptance *a, const struct report_style *style,
                           struct text *out);
void acceptance_print_html(const struct acceptance *a, const struct report_style *style,
                           struct text *out);

/* "planned", "not finished", "done", "failed". */
const char *acceptance_stage_word(const struct acceptance_stage *s);

#endif
