/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a sweep: text, CSV (a line for each run: runs.csv) and JSON. */
#ifndef CUPEL_REPORT_SWEEP_SWEEP_H
#define CUPEL_REPORT_SWEEP_SWEEP_H

#include "facts/sweep_result.h"
#include "report/report.h"

struct sweep_sink {
    const char *name; /* as --format accepts it: text, csv, json, html */
    void (*print)(const struct sweep_result *r, const struct report_style *style, struct text *out);
};

extern const struct sweep_sink sweep_sinks[]; /* ends with a name of NULL */
const struct sweep_sink *sweep_sink_find(const char *name);

/* Prints configurations.csv: a line for each configuration and response. */
void sweep_print_configurations(const struct sweep_result *r, struct text *out);

/* Returns SD over mean; NaN when there is no SD. */
double sweep_spread(const struct sweep_cell *c);

/* Writes the levels of a configuration: "threads=4 bs=64k". Returns `to`. */
char *sweep_words(const struct sweep_result *r, size_t configuration, char *to, size_t size);

/* The formats: sweep_text.c, sweep_records.c, sweep_page.c. */
void sweep_print_text(const struct sweep_result *r, const struct report_style *style,
                      struct text *out);
void sweep_print_csv(const struct sweep_result *r, const struct report_style *style,
                     struct text *out);
void sweep_print_json(const struct sweep_result *r, const struct report_style *style,
                      struct text *out);
void sweep_print_html(const struct sweep_result *r, const struct report_style *style,
                      struct text *out);

#endif
