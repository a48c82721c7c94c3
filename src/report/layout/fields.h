/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes a structure by one table of fields, from which its CSV columns, its JSON members and
 * the columns of its table in documents (report/document/document.h) are generated.
 *
 * A field has a name in each format; NULL leaves it out of that format. NaN is an empty field in
 * CSV, null in JSON, and "-" in documents.
 */
#ifndef CUPEL_REPORT_LAYOUT_FIELDS_H
#define CUPEL_REPORT_LAYOUT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/text.h"
#include "facts/result.h"

enum field_kind {
    FIELDS_END,
    FIELD_NUMBER,   /* double */
    FIELD_COUNT,    /* uint64_t, size_t */
    FIELD_SMALL,    /* unsigned */
    FIELD_FLAG,     /* bool; CSV has 0 or 1 */
    FIELD_ARRAY,    /* char[] */
    FIELD_STRING,   /* const char * */
    FIELD_COMPUTED, /* a text that the function `words` returns */
};

struct field {
    const char *csv, *json;
    enum field_kind kind;
    size_t offset;
    const char *(*words)(const void *record);
    const char *title;      /* title of its column in documents; NULL: no column */
    int width;              /* width of the column in text; below 0: left-aligned */
    enum metric_kind shown; /* how documents format a number */
    /* function that writes a cell; NULL: the cell is written as `kind` and `shown` say */
    void (*cell)(const void *record, struct text *words);
};

/* A field for a member of a structure. The member's type determines the kind. */
#define FIELD_KIND(member)                                                                         \
    _Generic((member),                                                                             \
        double: FIELD_NUMBER,                                                                      \
        uint64_t: FIELD_COUNT,                                                                \
        unsigned: FIELD_SMALL,                                                                     \
        bool: FIELD_FLAG,                                                                          \
        char *: FIELD_ARRAY,                                                                       \
        const char *: FIELD_STRING)
#define FIELD_AT(type, member)                                                                     \
    .kind = FIELD_KIND(((struct type *)0)->member), .offset = offsetof(struct type, member)
#define FIELD(type, member, in_csv, in_json)                                                       \
    {                                                                                              \
        .csv = (in_csv), .json = (in_json), FIELD_AT(type, member)                                 \
    }
/* A field that is also a column in documents. */
#define FIELD_SHOWN(type, member, in_csv, in_json, heading, columns, as)                           \
    {                                                                                              \
        .csv = (in_csv), .json = (in_json), FIELD_AT(type, member), .title = (heading),            \
        .width = (columns), .shown = METRIC_KIND_##as                                              \
    }
/* A column of documents only, whose cells a function writes. */
#define FIELD_CELL(function, heading, columns)                                                     \
    {                                                                                              \
        .kind = FIELD_COMPUTED, .title = (heading), .width = (columns), .cell = (function)         \
    }
#define FIELD_BOTH(type, member) FIELD(type, member, #member, #member) /* named as the member */
#define FIELD_ALL(type, member, heading, columns, as)                                              \
    FIELD_SHOWN(type, member, #member, #member, heading, columns, as)
#define FIELD_CSV(type, member)  FIELD(type, member, #member, NULL)
#define FIELD_JSON(type, member) FIELD(type, member, NULL, #member)
#define FIELD_WORDS(function, in_csv, in_json)                                                     \
    {                                                                                              \
        .csv = (in_csv), .json = (in_json), .kind = FIELD_COMPUTED, .words = (function)            \
    }
#define FIELD_LAST                                                                                 \
    {                                                                                              \
        .kind = FIELDS_END                                                                         \
    }

/* The columns of a metric with its interval, the same in the CSV of every command. `metric` and
   `unit` are complete fields, given by the caller. */
#define FIELDS_OF_METRIC(type, metric, unit)                                                       \
    metric, FIELD_BOTH(type, op), unit, FIELD_BOTH(type, value),                                   \
        FIELD(type, low, "ci_low", "ci_low"), FIELD(type, high, "ci_high", "ci_high"),             \
        FIELD_BOTH(type, confidence), FIELD_BOTH(type, n), FIELD_BOTH(type, effective_n),          \
        FIELD_BOTH(type, note), FIELD_BOTH(type, next_low), FIELD_BOTH(type, next_high),           \
        FIELD_LAST

/* Adds the value of a field as the text of a cell in documents. */
void field_show(const struct field *f, const void *record, struct text *to);

/* Add the names of the columns, or the values of one record, separated by commas. A comma comes
   first if the line is not empty. */
void csv_add_names(struct text *out, const struct field fields[]);
void csv_add_fields(struct text *out, const struct field fields[], const void *record);

/* Adds a line for each record. `number` is the name of an additional first column, which counts
   from 0; NULL: there is none. */
void csv_add_lines(struct text *out, const char *number, const struct field fields[],
                   const void *records, size_t count, size_t size);

/* Adds a line "name,value" for each field, with `prefix` before the name. */
void csv_add_pairs(struct text *out, const char *prefix, const struct field fields[],
                   const void *record);

/* Add a number; NaN adds nothing. csv_add_field adds a comma first. */
void csv_add_number(struct text *out, double value);
void csv_add_field(struct text *out, double value);

/* Begins the JSON object of a whole report, with the version of docs/schema and the kind of the
   report. */
enum { JSON_SCHEMA = 1 };
struct json json_report(struct text *out, const char *kind);

/* Add the fields of a record as members of the open object, or records as an array of objects. */
void json_fields(struct json *j, const struct field fields[], const void *record);
void json_records(struct json *j, const char *key, const struct field fields[], const void *records,
                  size_t count, size_t size);

#endif
