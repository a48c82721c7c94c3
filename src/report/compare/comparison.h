/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a comparison: text, CSV (a line for each pair and metric) and JSON. */
#ifndef CUPEL_REPORT_COMPARE_COMPARISON_H
#define CUPEL_REPORT_COMPARE_COMPARISON_H

#include "facts/comparison.h"
#include "report/document/document.h"

extern const struct report_kind comparison_report;
extern const struct report_kind correlations_report;

/* The formats: comparison_document.c, comparison_records.c. */
void comparison_document(const void *what, struct document *out);
void comparison_csv(const void *what, struct text *out);
void comparison_json(const void *what, struct text *out);

/* comparison_page.c: the figures of a page; every ratio, the readings of a quantity, every
 * coefficient. */
void comparison_chart_ratios(const void *what, size_t number, struct text *out);
void comparison_chart_boxes(const void *what, size_t quantity, struct text *out);
void correlations_chart(const void *what, size_t number, struct text *out);

/* correlation_report.c */
void correlations_document(const void *what, struct document *out);
void correlations_csv(const void *what, struct text *out);
void correlations_json(const void *what, struct text *out);

#endif
