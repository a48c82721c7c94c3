/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a sweep: text, CSV (a line for each run: runs.csv) and JSON. */
#ifndef CUPEL_REPORT_SWEEP_SWEEP_H
#define CUPEL_REPORT_SWEEP_SWEEP_H

#include "facts/sweep_result.h"
#include "report/document/document.h"

extern const struct report_kind sweep_report;

/* Prints configurations.csv: a line for each configuration and response. */
void sweep_print_configurations(const struct sweep_result *r, struct text *out);

/* Builds the document. In sweep_document.c. */
void sweep_document(const void *what, struct document *out);

#endif
