/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The printing functions behind report_sinks and report_files, one file each. */
#ifndef CUPEL_REPORT_RUN_FORMATS_H
#define CUPEL_REPORT_RUN_FORMATS_H

#include "report/report.h"

/* text.c, analysis_text.c */
void text_print(const struct result *r, const struct report_style *style, struct text *out);
void text_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out);

/* csv.c */
void csv_print(const struct result *r, const struct report_style *style, struct text *out);
void csv_print_analysis(const struct analysis *a, const struct report_style *style,
                        struct text *out);

/* json.c */
void json_print(const struct result *r, const struct report_style *style, struct text *out);
void json_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out);

/* fidelity.c: the unit of a row's values: "ns", "s" or "1". */
const char *fidelity_unit(const struct result_fidelity *row);

struct json;

/* json.c: members "metrics" and "others" of the open object. */
void json_rows(struct json *j, const struct result_row rows[], size_t count);
void json_others(struct json *j, const struct result_others *others, const char *words);

/* repeat.c: of several sessions, rows after those of all, the members "repeat" and "sessions", and
   sessions.csv with every metric of each. Nothing for a single session. */
void repeat_add_csv(const struct result *r, struct text *out);
void repeat_add_json(const struct result *r, struct json *j);
void repeat_render_sessions(const struct result *r, struct text *out);

/* csv.c: a number, nothing for NaN; the same after a comma; a row's fields from value to
 * effective_n, each after a comma. */
void csv_add_number(struct text *out, double value);
void csv_add_field(struct text *out, double value);
void csv_add_interval(struct text *out, const struct result_row *row);

#endif
