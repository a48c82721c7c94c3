/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/predict share. */
#ifndef CUPEL_REPORT_PREDICT_INTERNAL_H
#define CUPEL_REPORT_PREDICT_INTERNAL_H

#include "base/json.h"
#include "report/predict/prediction_report.h"

/* The formats: prediction_text.c, prediction_records.c. */
void prediction_print_text(const struct prediction *p, const struct report_style *style,
                           struct text *out);
void prediction_print_csv(const struct prediction *p, const struct report_style *style,
                          struct text *out);
void prediction_print_json(const struct prediction *p, const struct report_style *style,
                           struct text *out);
void validation_print_text(const struct map_validation *v, const struct report_style *style,
                           struct text *out);
void validation_print_csv(const struct map_validation *v, const struct report_style *style,
                          struct text *out);
void validation_print_json(const struct map_validation *v, const struct report_style *style,
                           struct text *out);

/* A paragraph "Note: ..." for each line. */
void print_notes(const char *notes, const struct report_style *style, struct text *out);
void json_notes(struct json *j, const char *notes);

#endif
