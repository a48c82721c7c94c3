/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The printing functions of report_sinks and report_files, and the fields that they print. */
#ifndef CUPEL_REPORT_RUN_FORMATS_H
#define CUPEL_REPORT_RUN_FORMATS_H

#include "report/layout/fields.h"
#include "report/report.h"

/* text.c, analysis_text.c */
void text_print(const struct result *r, const struct report_style *style, struct text *out);
void text_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out);

/* records.c */
void csv_print(const struct result *r, const struct report_style *style, struct text *out);
void csv_print_analysis(const struct analysis *a, const struct report_style *style,
                        struct text *out);
void json_print(const struct result *r, const struct report_style *style, struct text *out);
void json_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out);

/* sessions.csv: every metric of each session; nothing for a single one. */
void csv_render_sessions(const struct result *r, struct text *out);

/* The fields of a result's records. */
extern const struct field round_fields[];
extern const struct field phase_fields[];
extern const struct field fidelity_fields[];
extern const struct field event_fields[];
extern const struct field note_fields[];

/* repeat.c: the session's row of the headline, or NULL. */
const struct result_row *session_headline(const struct result *r, const struct result_session *s);

#endif
