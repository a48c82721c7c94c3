/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes records as CSV and as JSON, by their tables of fields. */
#include "report/layout/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"

/* The value of a field; the field's kind decides which member is valid. */
union value {
    double number;
    uint64_t count;
    bool flag;
    const char *words;
};

static union value field_value(const struct field *f, const void *record)
{
    const char *at = (const char *)record + f->offset;
    union value v = {.words = at}; /* for an array */
    unsigned small;
    switch (f->kind) {
    case FIELD_NUMBER:
        memcpy(&v.number, at, sizeof v.number);
        break;
    case FIELD_COUNT:
        memcpy(&v.count, at, sizeof v.count);
        break;
    case FIELD_SMALL:
        memcpy(&small, at, sizeof small);
        v.count = small;
        break;
    case FIELD_FLAG:
        memcpy(&v.flag, at, sizeof v.flag);
        break;
    case FIELD_STRING:
        memcpy(&v.words, at, sizeof v.words);
        break;
    case FIELD_COMPUTED:
        v.words = f->words(record);
        break;
    default:
        break;
    }
    return v;
}

void field_show(const struct field *f, const void *record, struct text *to)
{
    char shown[200];
    if (f->cell) {
        f->cell(record, to);
        return;
    }
    const union value v = field_value(f, record);
    if (f->kind < FIELD_FLAG)
        number_value(shown, sizeof shown, f->shown,
                     f->kind == FIELD_NUMBER ? v.number : (double)v.count);
    else
        layout_shorten(shown, sizeof shown, v.words, (size_t)abs(f->width));
    text_add(to, shown);
}

/* ---- CSV ---- */

void csv_add_number(struct text *out, double value)
{
    if (!isnan(value))
        text_add_number(out, value);
}

void csv_add_field(struct text *out, double value)
{
    text_add(out, ",");
    csv_add_number(out, value);
}

static void csv_add_value(struct text *out, const struct field *f, const void *record)
{
    union value v = field_value(f, record);
    switch (f->kind) {
    case FIELD_NUMBER:
        csv_add_number(out, v.number);
        break;
    case FIELD_COUNT:
    case FIELD_SMALL:
        text_addf(out, "%llu", (unsigned long long)v.count);
        break;
    case FIELD_FLAG:
        text_add(out, v.flag ? "1" : "0");
        break;
    default:
        text_add_csv(out, v.words);
    }
}

static bool is_at_line_begin(const struct text *out)
{
    return out->length == 0 || out->data[out->length - 1] == '\n';
}

void csv_add_names(struct text *out, const struct field fields[])
{
    bool first = is_at_line_begin(out);
    for (const struct field *f = fields; f->kind != FIELDS_END; f++) {
        if (!f->csv)
            continue;
        text_addf(out, "%s%s", first ? "" : ",", f->csv);
        first = false;
    }
}

void csv_add_fields(struct text *out, const struct field fields[], const void *record)
{
    bool first = is_at_line_begin(out);
    for (const struct field *f = fields; f->kind != FIELDS_END; f++) {
        if (!f->csv)
            continue;
        text_add(out, first ? "" : ",");
        csv_add_value(out, f, record);
        first = false;
    }
}

void csv_add_lines(struct text *out, const char *number, const struct field fields[],
                   const void *records, size_t count, size_t size)
{
    text_add(out, number ? number : "");
    csv_add_names(out, fields);
    text_add(out, "\n");
    for (size_t i = 0; i < count; i++) {
        if (number)
            text_addf(out, "%zu", i);
        csv_add_fields(out, fields, (const char *)records + i * size);
        text_add(out, "\n");
    }
}

void csv_add_pairs(struct text *out, const char *prefix, const struct field fields[],
                   const void *record)
{
    for (const struct field *f = fields; f->kind != FIELDS_END; f++) {
        if (!f->csv)
            continue;
        text_addf(out, "%s%s,", prefix, f->csv);
        csv_add_value(out, f, record);
        text_add(out, "\n");
    }
}

/* ---- JSON ---- */

struct json json_report(struct text *out, const char *kind)
{
    struct json j = json_on(out);
    json_begin_object(&j, NULL);
    json_unsigned(&j, "schema", JSON_SCHEMA);
    json_string(&j, "kind", kind);
    return j;
}

void json_fields(struct json *j, const struct field fields[], const void *record)
{
    for (const struct field *f = fields; f->kind != FIELDS_END; f++) {
        if (!f->json)
            continue;
        union value v = field_value(f, record);
        if (f->kind == FIELD_NUMBER)
            json_number(j, f->json, v.number);
        else if (f->kind == FIELD_COUNT || f->kind == FIELD_SMALL)
            json_unsigned(j, f->json, v.count);
        else if (f->kind == FIELD_FLAG)
            json_bool(j, f->json, v.flag);
        else
            json_string(j, f->json, v.words);
    }
}

void json_records(struct json *j, const char *key, const struct field fields[], const void *records,
                  size_t count, size_t size)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < count; i++) {
        json_begin_object(j, NULL);
        json_fields(j, fields, (const char *)records + i * size);
        json_end_object(j);
    }
    json_end_array(j);
}
