/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a comparison: text, CSV (a line for each pair and metric) and JSON. */
#ifndef CUPEL_REPORT_COMPARE_COMPARISON_H
#define CUPEL_REPORT_COMPARE_COMPARISON_H

#include "facts/comparison.h"
#include "report/report.h"

struct comparison_sink {
    const char *name; /* as --format accepts it: text, csv, json, html */
    void (*print)(const struct comparison *c, const struct report_style *style, struct text *out);
    void (*print_correlations)(const struct comparison_correlations *c,
                               const struct report_style *style, struct text *out);
};

extern const struct comparison_sink comparison_sinks[]; /* ends with a name of NULL */
const struct comparison_sink *comparison_sink_find(const char *name);

/* The formats: comparison_text.c, comparison_records.c. */
void comparison_print_text(const struct comparison *c, const struct report_style *style,
                           struct text *out);
void comparison_print_csv(const struct comparison *c, const struct report_style *style,
                          struct text *out);
void comparison_print_json(const struct comparison *c, const struct report_style *style,
                           struct text *out);

/* comparison_page.c */
void comparison_print_html(const struct comparison *c, const struct report_style *style,
                           struct text *out);
void correlations_print_html(const struct comparison_correlations *c,
                             const struct report_style *style, struct text *out);

/* correlation_report.c */
void correlations_print_text(const struct comparison_correlations *c,
                             const struct report_style *style, struct text *out);
void correlations_print_csv(const struct comparison_correlations *c,
                            const struct report_style *style, struct text *out);
void correlations_print_json(const struct comparison_correlations *c,
                             const struct report_style *style, struct text *out);

#endif
