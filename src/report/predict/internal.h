/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/predict share. */
#ifndef CUPEL_REPORT_PREDICT_INTERNAL_H
#define CUPEL_REPORT_PREDICT_INTERNAL_H

#include "base/json.h"
#include "report/predict/prediction_report.h"

/* ---- the formats of each result ---- */

void prediction_print_text(const struct prediction *p, const struct report_style *style,
                           struct text *out);
void validation_print_text(const struct map_validation *v, const struct report_style *style,
                           struct text *out);
void variance_print_text(const struct variance_analysis *v, const struct report_style *style,
                         struct text *out);
void heat_map_print_text(const struct heat_map *h, const struct report_style *style,
                         struct text *out);
void scatter_print_text(const struct map_scatter *s, const struct report_style *style,
                        struct text *out);
void ranking_print_text(const struct map_ranking *r, const struct report_style *style,
                        struct text *out);
void drift_print_text(const struct map_drift *d, const struct report_style *style,
                      struct text *out);
void prediction_print_csv(const struct prediction *p, const struct report_style *style,
                          struct text *out);
void validation_print_csv(const struct map_validation *v, const struct report_style *style,
                          struct text *out);
void variance_print_csv(const struct variance_analysis *v, const struct report_style *style,
                        struct text *out);
void heat_map_print_csv(const struct heat_map *h, const struct report_style *style,
                        struct text *out);
void scatter_print_csv(const struct map_scatter *s, const struct report_style *style,
                       struct text *out);
void ranking_print_csv(const struct map_ranking *r, const struct report_style *style,
                       struct text *out);
void drift_print_csv(const struct map_drift *d, const struct report_style *style, struct text *out);
void prediction_print_json(const struct prediction *p, const struct report_style *style,
                           struct text *out);
void validation_print_json(const struct map_validation *v, const struct report_style *style,
                           struct text *out);
void variance_print_json(const struct variance_analysis *v, const struct report_style *style,
                         struct text *out);
void heat_map_print_json(const struct heat_map *h, const struct report_style *style,
                         struct text *out);
void scatter_print_json(const struct map_scatter *s, const struct report_style *style,
                        struct text *out);
void ranking_print_json(const struct map_ranking *r, const struct report_style *style,
                        struct text *out);
void drift_print_json(const struct map_drift *d, const struct report_style *style,
                      struct text *out);

void run_plan_print_text(const struct run_plan *p, const struct report_style *style,
                         struct text *out);
void run_plan_print_csv(const struct run_plan *p, const struct report_style *style,
                        struct text *out);
void run_plan_print_json(const struct run_plan *p, const struct report_style *style,
                         struct text *out);

void convergence_print_text(const struct map_convergence *m, const struct report_style *style,
                            struct text *out);
void convergence_print_csv(const struct map_convergence *m, const struct report_style *style,
                           struct text *out);
void convergence_print_json(const struct map_convergence *m, const struct report_style *style,
                            struct text *out);

/* ---- plots ---- */

/* Returns the position of a value in the range of a heat map, 0 to 1; for changes .5 means no
   change. */
double heat_map_share(const struct heat_map *h, double value);

/* The common range of both axes of a scatter plot, and the position of a value in it, 0 to 1. */
struct scatter_range {
    double low, high;
    bool logarithmic;
};
struct scatter_range scatter_range_of(const struct map_scatter *s);
double scatter_share(const struct scatter_range *r, double value);

/* ---- a configuration: its columns, and its cells ---- */

enum { PLACE_WIDTH_MAX = 36 };

/* Adds "a,b," before the columns of the result; and "1,2," of one row. */
void csv_add_place_columns(struct text *out, const char *const columns[], size_t count);
void csv_add_place(struct text *out, const char *const cells[], size_t count);
/* Adds the object "at". */
void json_place(struct json *j, const char *const columns[], const char *const cells[],
                size_t count);
/* Returns the number of table rows to print: `max` in text, more on a page. */
size_t rows_shown(const struct text *out, size_t max);
/* Adds `width` columns of text, at most PLACE_WIDTH_MAX. */
void add_place(struct text *out, const char *const cells[], size_t count, size_t width);

/* ---- notes ---- */

/* Prints a paragraph "Note: ..." for each line. */
void print_notes(const char *notes, const struct report_style *style, struct text *out);
void json_notes(struct json *j, const char *notes);

#endif
