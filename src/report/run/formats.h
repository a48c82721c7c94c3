/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of a result and of an analysis, and the fields that they print. */
#ifndef CUPEL_REPORT_RUN_FORMATS_H
#define CUPEL_REPORT_RUN_FORMATS_H

#include "facts/analysis.h"
#include "report/document/document.h"
#include "report/layout/fields.h"

/* Print a result as the whole text in any style (result_document.c), CSV, JSON (result_csv_json.c),
   and fio's JSON+ (fio_json.c). */
void result_sections(const struct result *r, struct document *out);
void result_csv(const void *what, struct text *out);
void result_json(const void *what, struct text *out);
void result_fio_json(const void *what, struct text *out);

/* Prints results in fio's JSON+, one job for each. */
void fio_json_print_results(const struct result *const results[], size_t count, struct text *out);

/* Adds to JSON what other programs used of the machine, as numbers and in words. */
void json_others(struct json *j, const struct result_others *others, const char *words);

/* Adds the member "level" to JSON: what may be claimed of a level beyond its readings. */
void json_level_claim(struct json *j, const struct level_claim *claim);

/* Adds the member "metrics" to JSON: the rows of a result. */
void json_rows(struct json *j, const struct result_row rows[], size_t count);

/* Print a result merged from many sources: in JSON, and as rows of CSV with the columns of the
   group and the interval that each row is about. In merge_section.c. */
void merged_add_json(const struct result *r, struct json *j);
void merged_add_csv(const struct result *r, const struct field row_fields[], struct text *out);

/* Return a clause's verdict, and the unit of its value. In clauses.c. */
const char *clause_verdict_words(const void *clause);
const char *clause_unit(const void *record);

/* Tables of fields that other reports use, too. */
extern const struct field event_fields[];
extern const struct field note_fields[];
extern const struct field clause_fields[];

#endif
