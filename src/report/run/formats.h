/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of a result and of an analysis, and the fields that they print. */
#ifndef CUPEL_REPORT_RUN_FORMATS_H
#define CUPEL_REPORT_RUN_FORMATS_H

#include "facts/analysis.h"
#include "report/document/document.h"
#include "report/layout/fields.h"

/* result_document.c, records.c, fio_json.c: a result's whole text in any style; its forms. */
void result_sections(const struct result *r, struct document *out);
void result_csv(const void *what, struct text *out);
void result_json(const void *what, struct text *out);
void result_fio_json(const void *what, struct text *out);

/* Prints a job for each of one or more results. */
void fio_json_print_results(const struct result *const results[], size_t count, struct text *out);

/* What other users of the machine used, and its words, in JSON. */
void json_others(struct json *j, const struct result_others *others, const char *words);

/* "level": what may be claimed of a level beyond its readings, in JSON. */
void json_level_claim(struct json *j, const struct level_claim *claim);

/* "metrics": the rows of a result, in JSON. */
void json_rows(struct json *j, const struct result_row rows[], size_t count);

/* merged.c: a sum of many sources in JSON; in CSV, the rows with the group and the interval they
 * belong to. */
void merged_add_json(const struct result *r, struct json *j);
void merged_add_csv(const struct result *r, const struct field row_fields[], struct text *out);

/* clauses.c: a clause's verdict, and the unit of its value. */
const char *clause_verdict_words(const void *clause);
const char *clause_unit(const void *record);

/* The fields of records that other reports have, too. */
extern const struct field event_fields[];
extern const struct field note_fields[];
extern const struct field clause_fields[];

#endif
