/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a comparison: text, CSV (a line for each pair and metric) and JSON. */
#ifndef CUPEL_REPORT_COMPARE_COMPARISON_H
#define CUPEL_REPORT_COMPARE_COMPARISON_H

#include "facts/comparison.h"
#include "report/document/document.h"

extern const struct report_kind comparison_report;
extern const struct report_kind correlations_report;

/* Builds the document, for text and page. In comparison_document.c. */
void comparison_document(const void *what, struct document *out);

#endif
