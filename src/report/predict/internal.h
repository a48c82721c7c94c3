/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/report/predict share. */
#ifndef CUPEL_REPORT_PREDICT_INTERNAL_H
#define CUPEL_REPORT_PREDICT_INTERNAL_H

#include "base/json.h"
#include "report/layout/fields.h"
#include "report/predict/prediction_report.h"

/* Sets the page's title. Its figures are pictures, so the page has no script. */
void predict_title(struct document *out, const char *title);

/* ---- map_svg.c: pictures ---- */

enum { MAP_LEFT = 110, MAP_TOP = 60, MAP_BELOW = 60 }; /* margins */

void map_svg_begin(struct text *out, double width, double height, const char *label);
/* Adds words, shortened if they are long. `anchor` is the point of the words that is at (x, y):
   "start", "middle" or "end". */
void map_svg_words(struct text *out, double x, double y, const char *anchor, const char *words);

/* ---- heat_map_report.c: what heat maps and lines share ---- */

/* Adds words such as "mean per threads by threads and bs". */
void heat_map_words(const struct heat_map *h, struct text *out);
void heat_map_csv(const void *what, struct text *out);
void heat_map_json_as(const struct heat_map *h, const char *kind, struct text *out);

/* ---- places: a configuration's columns and cells ---- */

enum { PLACE_WIDTH_MAX = 36 };

/* Configurations, each with a record. Printed as CSV with a header, and as a JSON array. */
struct place_table {
    const char *const *columns, *const *cells;
    size_t column_count;
    const struct field *fields;
    const void *records;
    size_t count, size; /* number of records; bytes of one record */
};
void csv_add_places(struct text *out, const struct place_table *t);
void json_places(struct json *j, const char *key, const struct place_table *t);
/* Returns the number of table rows to print: `max` in text, more on a page. */
size_t rows_shown(const struct document *out, size_t max);
/* Print the titles, and a row of the table. In text, a configuration takes `width` columns, at most
   PLACE_WIDTH_MAX. Cells that the caller added before are in the left margin. */
void add_place_titles(struct document *out, const struct place_table *t, int width);
void add_place_row(struct document *out, const struct place_table *t, size_t row, int width);

/* ---- notes ---- */

/* Print each line of the notes: in text as a paragraph "Note: ...", in JSON as an element of
   "notes". */
void print_notes(const char *notes, struct document *out);
void json_notes(struct json *j, const char *notes);

#endif
