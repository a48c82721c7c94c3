/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a sweep: text, CSV (a line for each run: runs.csv) and JSON. */
#ifndef CUPEL_REPORT_SWEEP_SWEEP_H
#define CUPEL_REPORT_SWEEP_SWEEP_H

#include "facts/sweep_result.h"
#include "report/document/document.h"

extern const struct report_kind sweep_report;

/* Prints configurations.csv: a line for each configuration and response. */
void sweep_print_configurations(const struct sweep_result *r, struct text *out);

/* Returns SD over mean; NaN when there is no SD. */
double sweep_spread(const struct sweep_cell *c);

/* Writes the levels of a configuration: "threads=4 bs=64k". Returns `to`. */
char *sweep_words(const struct sweep_result *r, size_t configuration, char *to, size_t size);

/* The formats: sweep_document.c, sweep_records.c. */
void sweep_document(const void *what, struct document *out);
void sweep_csv(const void *what, struct text *out);
void sweep_json(const void *what, struct text *out);

#endif
