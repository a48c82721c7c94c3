/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads columns of JSON: an array of numbers; or records, which are objects in an array or one a
 * line, with members as fields. If a field is an array, each of its elements is a reading.
 */
#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/column/internal.h"

#define JSON_BYTES_MAX (64u << 20)

/* An iterator over the records of a text. */
struct records {
    struct span rest; /* the text that is left, if it has one record a line */
    struct json_walk walk;
    bool in_array;
    struct span record; /* the record that is being read */
};

/* Returns an iterator over the records at `place` in the text; "": the text itself. */
static struct records records_at(struct span text, const char *place)
{
    struct records r = {.rest = text};
    struct span value;
    if (json_find(text, span_of(place), &value) != JSON_FOUND)
        return (struct records){0};
    if (*place)
        r.rest = value;
    r.in_array = value.length && value.text[0] == '[';
    if (r.in_array)
        r.walk = json_walk_of(value);
    return r;
}

static bool next_record(struct records *r)
{
    struct span name, after;
    if (r->in_array)
        return json_next(&r->walk, &name, &r->record);
    if (!span_trimmed(r->rest).length || !json_first(r->rest, &r->record, &after))
        return false;
    r->rest = after;
    return true;
}

/* ---- fields ---- */

/* Finds a member of a record and writes its place to `to`. In k6's files, "metric.value" may also
   be in "metric.values.value". */
static bool find_in(struct span record, const char *place, char to[COLUMN_NAME])
{
    struct span value;
    snprintf(to, COLUMN_NAME, "%s", place);
    if (json_find(record, span_of(to), &value) == JSON_FOUND)
        return true;
    const char *dot = strchr(place, '.');
    if (!dot)
        return false;
    snprintf(to, COLUMN_NAME, "%.*s.values%s", (int)(dot - place), place, dot);
    return json_find(record, span_of(to), &value) == JSON_FOUND;
}

/* Returns true if any record has this field. */
static bool find_in_records(const void *context, struct span name, struct operand *to)
{
    struct records r = *(const struct records *)context;
    char place[COLUMN_NAME];
    *to = (struct operand){0};
    if (!name.length || name.length >= sizeof place)
        return false;
    span_copy(place, name);
    while (next_record(&r))
        if (find_in(r.record, place, to->name))
            return true;
    return false;
}

/* Returns true if the text has a value at this place, by which a format is recognised. */
static bool find_in_text(const void *context, struct span name, struct operand *to)
{
    struct span value;
    (void)to;
    return json_find(*(const struct span *)context, name, &value) == JSON_FOUND;
}

static struct span get_of_record(const void *context, const struct operand *field)
{
    const struct records *r = context;
    struct span value = {"", 0};
    if (json_find(r->record, span_of(field->name), &value) != JSON_FOUND)
        value.length = 0;
    return value;
}

/* ---- readings ---- */

static int read_numbers(struct filling *f, struct span array, struct err *e)
{
    struct json_walk walk = json_walk_of(array);
    struct span name, value;
    while (json_next(&walk, &name, &value)) {
        double number;
        char shown[44];
        enum number_status parsed = reading_parse(value.text, value.length, &number);
        if (parsed == NUMBER_TOO_LARGE)
            return err_set(
                e, ERR_USAGE, "%s: element %zu, %s, is too large: readings are of at most 1e60",
                f->file, f->column->count + 1, span_printable(shown, sizeof shown, value));
        if (parsed != NUMBER_OK)
            return err_set(e, ERR_USAGE, "%s: element %zu is not a number", f->file,
                           f->column->count + 1);
        if (filling_add_number(f, number, e))
            return -1;
    }
    return walk.broken ? err_set(e, ERR_USAGE, "%s: the JSON breaks off", f->file) : 0;
}

/* Reads the current record: as one reading, or, if fields are arrays, as a reading for each
   element. */
static int read_record(struct filling *f, const struct selection *s, const struct records *r,
                       struct err *e)
{
    struct json_walk walks[FORMULA_OPERANDS];
    struct span texts[FORMULA_OPERANDS], name, unit = {"", 0};
    bool is_array[FORMULA_OPERANDS], any = false;
    if (s->has_unit)
        unit = get_of_record(r, &s->unit);
    for (size_t i = 0; i < s->formula.count; i++) {
        texts[i] = get_of_record(r, &s->formula.operands[i]);
        is_array[i] = texts[i].length && texts[i].text[0] == '[';
        any = any || is_array[i];
        if (is_array[i])
            walks[i] = json_walk_of(texts[i]);
        else if (!texts[i].length)
            return err_set(e, ERR_USAGE, "%s, record %zu has no \"%s\"%s%s", f->file, f->place,
                           s->formula.operands[i].name, s->format && s->format->remedy ? ": " : "",
                           s->format && s->format->remedy ? s->format->remedy : "");
    }
    if (!any)
        return selection_add(s, f, texts, unit, e);
    for (;;) {
        for (size_t i = 0; i < s->formula.count; i++)
            if (is_array[i] && !json_next(&walks[i], &name, &texts[i]))
                return walks[i].broken ? err_set(e, ERR_USAGE, "%s: the JSON breaks off", f->file)
                                       : 0;
        if (selection_add(s, f, texts, unit, e))
            return -1;
    }
}

static int read_records(struct filling *f, struct selection *s, struct records r, struct err *e)
{
    for (f->place = 1; next_record(&r); f->place++) {
        int counts = selection_counts(s, f, get_of_record, &r, e);
        if (counts < 0 || (counts && !s->list && read_record(f, s, &r, e)))
            return -1;
    }
    if (r.walk.broken)
        return err_set(e, ERR_USAGE, "%s: the JSON breaks off", f->file);
    return 0;
}

/* If the file has several results and `column` is a number, it is the number of a result: replaces
   *column by that result's name. Fails if the user must choose a result. Does nothing for other
   files. */
static int name_of_number(const struct selection *s, const struct records *records,
                          const struct column_request *request, const char **column,
                          struct column_names *names, struct filling *f, struct err *e)
{
    struct selection listing = *s;
    uint64_t number;
    if (!s->format || !s->format->names || !s->format->column || request->name)
        return 0;
    listing.list = names;
    if (selection_make(&listing, &(struct column_request){.where = request->where}, NULL,
                       find_in_records, records, f->file, e) ||
        read_records(f, &listing, *records, e))
        return -1;
    if (*column && !parse_unsigned(*column, &number, NULL)) {
        if (number < 1 || number > names->count || number > COLUMN_NAMES)
            return err_set(e, ERR_USAGE, "%s: no result of %zu is %s", f->file, names->count,
                           *column);
        *column = names->names[number - 1];
    }
    if (!*column && names->count > 1 && !s->format->name)
        return err_set(e, ERR_USAGE,
                       "%s has the readings of %zu results: choose one with --column NUMBER or "
                       "--column 'NAME', such as '%.60s'",
                       f->file, names->count, names->names[0]);
    return 0;
}

static int read_text(struct filling *f, struct span text, struct selection *s,
                     const struct column_request *request, struct err *e)
{
    struct column_names names = {.count = 0};
    struct span first = span_trimmed(text), after;
    if (json_first(first, &first, &after) && first.text[0] == '[' &&
        json_walk_of(first).rest.length) {
        struct json_walk walk = json_walk_of(first);
        struct span name, value;
        if (json_is_value(span_trimmed(text)) &&
            (!json_next(&walk, &name, &value) || value.text[0] != '{'))
            return read_numbers(f, first, e);
    }
    s->format = column_format_of(true, find_in_text, &text);
    if (s->format && s->format->beside)
        return 0; /* the readings are in another file, which column.c reads */
    struct records records = records_at(text, s->format ? s->format->records : "");
    const char *column = request->column;
    if (!s->list && name_of_number(s, &records, request, &column, &names, f, e))
        return -1;
    if (!column && s->format)
        column = s->format->column;
    if (!column && !s->list)
        return err_set(e, ERR_USAGE,
                       "%s is JSON that is not known: an array of numbers is, and of objects the "
                       "member that --column names",
                       f->file);
    if (selection_make(s, request, column, find_in_records, &records, f->file, e))
        return -1;
    if (!s->has_names && s->column)
        span_printable(f->column->name, COLUMN_NAME_SHOWN, span_of(s->column));
    if (read_records(f, s, records, e))
        return -1;
    if (!s->list && !f->column->count && s->chosen)
        return err_set(e, ERR_USAGE, "%s: no result of %zu is %s", f->file, names.count, s->name);
    return 0;
}

int column_read_json(struct filling *f, struct row_reader *rows, struct span row,
                     struct selection *s, const struct column_request *request, struct err *e)
{
    struct text all = {0};
    struct span value, rest;
    int got = 1, status = -1;
    f->part = "record";
    for (; got > 0 && all.length < JSON_BYTES_MAX; got = row_reader_next(rows, &row, e)) {
        text_add_bytes(&all, row.text, row.length);
        text_add(&all, "\n");
    }
    struct span text = {all.data, all.length};
    bool valid = got == 0;
    for (rest = text; valid && span_trimmed(rest).length;)
        valid = json_first(rest, &value, &rest);
    if (all.failed)
        err_no_memory(e, "a row of %s", rows->file);
    else if (got > 0)
        err_set(e, ERR_USAGE, "%s: JSON of more than %u MiB", rows->file, JSON_BYTES_MAX >> 20);
    else if (got == 0 && !valid)
        err_set(e, ERR_USAGE, "%s begins like JSON but is not valid", rows->file);
    else if (got == 0)
        status = read_text(f, text, s, request, e);
    text_free(&all);
    return status;
}
