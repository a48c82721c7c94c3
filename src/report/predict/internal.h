/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/predict share. */
#ifndef CUPEL_REPORT_PREDICT_INTERNAL_H
#define CUPEL_REPORT_PREDICT_INTERNAL_H

#include "base/json.h"
#include "report/layout/fields.h"
#include "report/predict/prediction_report.h"

/* Gives the page its title. Its figures are pictures, which need no script. */
void predict_title(struct document *out, const char *title);

/* ---- map_svg.c: pictures ---- */

enum { MAP_LEFT = 110, MAP_TOP = 60, MAP_BELOW = 60 }; /* margins */

void map_svg_begin(struct text *out, double width, double height, const char *label);
/* `anchor`: "start", "middle" or "end" of the words is at the place. Words are shortened. */
void map_svg_words(struct text *out, double x, double y, const char *anchor, const char *words);

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
/* Print the titles and a row of the table; a configuration has `width` columns of text, at most
   PLACE_WIDTH_MAX. What was added to the row already stands in the margin. */
void add_place_titles(struct document *out, const struct place_table *t, int width);
void add_place_row(struct document *out, const struct place_table *t, size_t row, int width);

/* ---- notes ---- */

/* Prints a paragraph "Note: ..." for each line. */
void print_notes(const char *notes, struct document *out);
void json_notes(struct json *j, const char *notes);

#endif
