/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/predict share. */
#ifndef CUPEL_REPORT_PREDICT_INTERNAL_H
#define CUPEL_REPORT_PREDICT_INTERNAL_H

#include "base/json.h"
#include "report/layout/fields.h"
#include "report/predict/prediction_report.h"

/* Gives the page its title. Its figures are pictures, which need no script. */
void predict_title(struct document *out, const char *title);

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

/* Configurations, each with a record of fields; as CSV with a header, and as an array. */
struct place_table {
    const char *const *columns, *const *cells;
    size_t column_count;
    const struct field *fields;
    const void *records;
    size_t count, size; /* of the records, and of one */
};
void csv_add_places(struct text *out, const struct place_table *t);
void json_places(struct json *j, const char *key, const struct place_table *t);
/* Returns the number of table rows to print: `max` in text, more on a page. */
size_t rows_shown(const struct document *out, size_t max);
/* Adds `width` columns of text, at most PLACE_WIDTH_MAX. */
void add_place(struct document *out, const char *const cells[], size_t count, size_t width);

/* ---- notes ---- */

/* Prints a paragraph "Note: ..." for each line. */
void print_notes(const char *notes, struct document *out);
void json_notes(struct json *j, const char *notes);

#endif
