/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads one column of numbers: finds the layout from the first row, then reads number by number. A
 * number may have a name and a unit. A column of JSON is an array, or the times of a command that
 * hyperfine exported.
 */
#include "cmd/column/column.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json/json_read.h"
#include "base/number_parse.h"
#include "base/table/row_reader.h"
#include "base/text.h"
#include "base/units.h"

#define JSON_BYTES_MAX (64u << 20)

/* A reading in the form that programs print: 1.42, 1.5 ms, time=1.42, "bandwidth = 512 MB/s". Units
   are those of time (ns us ms s min h) and of bytes per second (B/s to GB/s, KiB/s to GiB/s). */
struct column_unit {
    const char *name;
    const char *quantity; /* "a time": units of the same quantity can be converted */
    double scale;         /* in the quantity's base unit */
};

struct column_reading {
    struct span name;               /* without blanks; empty: no name */
    const struct column_unit *unit; /* NULL: no unit */
    double value;                   /* in the unit above */
};

#define TIME "a time"
#define RATE "a rate in bytes"

struct reader {
    struct row_reader rows;
    char delimiter;
    size_t field;                /* index of the wanted field */
    bool whole_line;             /* there is a single column: the whole line is the number */
    size_t capacity;             /* number of values that column->values can hold */
    struct column_reading first; /* its name (copied below) and unit must be those of every
                                    reading */
    char name[64];               /* truncated to its size */
};

#define QUOTED 44 /* room for text of the input in a message */

/* Appends a number; `room` is the array's capacity. ERR_MACHINE, with `file` in the message. */
static int column_add(struct column *column, size_t *room, double value, const char *file,
                      struct err *e)
{
    if (column->count == *room) {
        size_t capacity = *room ? *room * 2 : 4096;
        double *values = realloc(column->values, capacity * sizeof *values);
        if (!values)
            return err_no_memory(e, "more than %zu numbers of %s", column->count, file);
        column->values = values;
        *room = capacity;
    }
    column->values[column->count++] = value;
    return 0;
}

void column_free(struct column *column)
{
    free(column->values);
    *column = (struct column){0};
}

static int read_numbers(struct column *column, struct span array, const char *file, struct err *e)
{
    struct json_walk walk = json_walk_of(array);
    struct span name, value;
    size_t room = 0;
    while (json_next(&walk, &name, &value)) {
        double number;
        char shown[44];
        enum number_status parsed = reading_parse(value.text, value.length, &number);
        if (parsed == NUMBER_TOO_LARGE)
            return err_set(e, ERR_USAGE,
                           "%s: element %zu, %s, is too large: readings are of at most 1e60", file,
                           column->count + 1, span_printable(shown, sizeof shown, value));
        if (parsed != NUMBER_OK)
            return err_set(e, ERR_USAGE, "%s: element %zu is not a number", file,
                           column->count + 1);
        if (column_add(column, &room, number, file, e))
            return -1;
    }
    return walk.broken ? err_set(e, ERR_USAGE, "%s: the JSON breaks off", file) : 0;
}

/* Finds the result of hyperfine with that command, or with that number from 1. */
static int find_times(struct span results, const char *wanted, struct column *column,
                      struct span *times, const char *file, struct err *e)
{
    static const struct span command_place = {"command", 7}, times_place = {"times", 5};
    struct json_walk walk = json_walk_of(results);
    struct span name, result, command;
    uint64_t number = 0;
    size_t count = 0;
    bool found = false, by_number = wanted && !parse_unsigned(wanted, &number, NULL);
    while (json_next(&walk, &name, &result)) {
        char text[sizeof column->name] = "";
        if (json_find(result, command_place, &command) == JSON_FOUND)
            span_printable(text, sizeof text, command);
        count++;
        if (wanted && (by_number ? count != number
                                 : command.length != strlen(wanted) ||
                                       memcmp(command.text, wanted, command.length) != 0))
            continue;
        if (found)
            continue;
        found = true;
        snprintf(column->name, sizeof column->name, "%.58s (s)", text);
        if (json_find(result, times_place, times) != JSON_FOUND)
            return err_set(e, ERR_USAGE, "%s: result %zu has no \"times\"", file, count);
    }
    if (!found)
        return err_set(e, ERR_USAGE, "%s: no result of %zu is %s", file, count,
                       wanted ? wanted : "there");
    if (!wanted && count > 1)
        return err_set(e, ERR_USAGE,
                       "%s has the times of %zu commands: choose one with --column NUMBER, or with "
                       "--column 'COMMAND' as it stands there",
                       file, count);
    return 0;
}

/*
 * `row` is the first row of the reader and begins like JSON. Errors as above.
 *
 * Reads an array of numbers, or hyperfine's export: {"results": [{"command": .., "times": [..]}]}.
 */
static int column_read_json(struct column *column, struct row_reader *rows, struct span row,
                            const char *wanted, struct err *e)
{
    static const struct span results_place = {"results", 7};
    struct text all = {0};
    struct span results, times = {0};
    int got = 1, status = -1;
    for (; got > 0 && all.length < JSON_BYTES_MAX; got = row_reader_next(rows, &row, e)) {
        text_add_bytes(&all, row.text, row.length);
        text_add(&all, "\n");
    }
    struct span text = {all.data, all.length};
    if (all.failed)
        err_no_memory(e, "a row of %s", rows->file);
    else if (got > 0)
        err_set(e, ERR_USAGE, "%s: JSON of more than %u MiB", rows->file, JSON_BYTES_MAX >> 20);
    else if (got == 0 && !json_is_value(span_trimmed(text)))
        err_set(e, ERR_USAGE, "%s begins like JSON but is not valid", rows->file);
    else if (got == 0 && span_trimmed(text).text[0] == '[')
        status = read_numbers(column, span_trimmed(text), rows->file, e);
    else if (got == 0 && json_find(text, results_place, &results) != JSON_FOUND)
        err_set(
            e, ERR_USAGE,
            "%s is JSON that is not known: an array of numbers, or hyperfine's \"results\" with "
            "\"times\", is",
            rows->file);
    else if (got == 0 && !find_times(results, wanted, column, &times, rows->file, e))
        status = read_numbers(column, times, rows->file, e);
    text_free(&all);
    return status;
}

static const struct column_unit units[] = {
    {"ns", TIME, 1},          {"us", TIME, 1e3},       {"\xc2\xb5s", TIME, 1e3}, /* micro sign */
    {"\xce\xbcs", TIME, 1e3},                                                    /* Greek mu */
    {"ms", TIME, 1e6},        {"s", TIME, 1e9},        {"sec", TIME, 1e9},
    {"min", TIME, 60e9},      {"h", TIME, 3600e9},     {"B/s", RATE, 1},
    {"kB/s", RATE, 1e3},      {"KB/s", RATE, 1e3},     {"MB/s", RATE, 1e6},
    {"GB/s", RATE, 1e9},      {"KiB/s", RATE, 0x1p10}, {"MiB/s", RATE, 0x1p20},
    {"GiB/s", RATE, 0x1p30},
};

static const struct column_unit *unit_of(struct span s)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (s.length == strlen(units[i].name) && !memcmp(s.text, units[i].name, s.length))
            return &units[i];
    return NULL;
}

/* Parses the whole of `text`. NUMBER_NONE: it is not a reading. */
static enum number_status column_reading_parse(struct span text, struct column_reading *r)
{
    text = span_trimmed(text);
    *r = (struct column_reading){0};
    enum number_status status = reading_parse(text.text, text.length, &r->value);
    if (status != NUMBER_NONE || !text.length)
        return status;
    const char *equals = memchr(text.text, '=', text.length);
    if (equals) {
        const size_t length = (size_t)(equals - text.text);
        r->name = span_trimmed((struct span){text.text, length});
        text = span_trimmed((struct span){equals + 1, text.length - length - 1});
        if (!r->name.length)
            return NUMBER_NONE;
    }
    size_t digits = text.length; /* up to and including the last digit */
    while (digits > 0 && !isdigit((unsigned char)text.text[digits - 1]))
        digits--;
    struct span unit = span_trimmed((struct span){text.text + digits, text.length - digits});
    r->unit = unit_of(unit);
    if (unit.length && !r->unit)
        return NUMBER_NONE;
    return reading_parse(text.text, digits, &r->value);
}

static int wrong_text(const struct reader *r, struct span s, const char *what, struct err *e)
{
    char text[QUOTED];
    return err_set(e, ERR_USAGE, "%s, line %zu: \"%s\" %s", r->rows.file, r->rows.line,
                   span_printable(text, sizeof text, s), what);
}

static bool is_number(struct span s)
{
    struct column_reading reading;
    return column_reading_parse(s, &reading) != NUMBER_NONE;
}

/* Is the field of the form NAME=..., such as time=1.42? */
static bool is_named(struct span field, const char *name)
{
    struct column_reading reading;
    return column_reading_parse(field, &reading) == NUMBER_OK &&
           reading.name.length == strlen(name) &&
           !memcmp(reading.name.text, name, reading.name.length);
}

static bool is_nan_or_infinity(struct span s)
{
    if (s.length && (s.text[0] == '-' || s.text[0] == '+')) {
        s.text++;
        s.length--;
    }
    bool infinity = (s.length == 3 && !strncasecmp(s.text, "inf", 3)) ||
                    (s.length == 8 && !strncasecmp(s.text, "infinity", 8));
    return infinity || (s.length && field_is_missing(s));
}

static bool any_field_is_number(struct span row, char delimiter)
{
    struct span field;
    bool more = true;
    while (row_next_field(&row, delimiter, &more, &field))
        if (is_number(field))
            return true;
    return false;
}

/* Finds the index of the field with that name; the error lists the existing names. */
static int find_name(struct reader *r, struct span row, const char *name, struct err *e)
{
    struct span rest = row, field;
    bool more = true, found = false;
    for (size_t i = 0; row_next_field(&rest, r->delimiter, &more, &field); i++) {
        if ((field.length != strlen(name) || memcmp(field.text, name, field.length) != 0) &&
            !is_named(field, name))
            continue;
        if (found)
            return err_set(e, ERR_USAGE,
                           "%s has columns %zu and %zu called \"%s\": choose one by its number",
                           r->rows.file, r->field + 1, i + 1, name);
        r->field = i;
        found = true;
    }
    char header[QUOTED];
    if (!found)
        return err_set(e, ERR_USAGE,
                       "%s has no column \"%.40s\": line %zu, taken as the header, is \"%s\"",
                       r->rows.file, name, r->rows.line,
                       span_printable(header, sizeof header, span_trimmed(row)));
    return 0;
}

static bool get_field(const struct reader *r, struct span row, struct span *field)
{
    bool more = true;
    for (size_t i = 0; row_next_field(&row, r->delimiter, &more, field); i++)
        if (i == r->field)
            return true;
    return false;
}

static int choose_column(struct reader *r, struct span row, const char *wanted, bool *by_name,
                         struct err *e)
{
    size_t fields = row_count_fields(row, r->delimiter);
    uint64_t number;
    *by_name = false;
    if (!wanted) {
        r->whole_line = true;
        if (fields > 1 && !is_number(row)) {
            char text[QUOTED];
            return err_set(e, ERR_USAGE,
                           "%s has %zu columns (line %zu is \"%s\"): choose one with --column NAME "
                           "or --column NUMBER",
                           r->rows.file, fields, r->rows.line,
                           span_printable(text, sizeof text, span_trimmed(row)));
        }
        return 0;
    }
    if (parse_unsigned(wanted, &number, NULL)) {
        *by_name = true;
        return find_name(r, row, wanted, e);
    }
    if (number < 1 || number > fields)
        return err_set(e, ERR_USAGE, "%s has no column %s: line %zu has %zu", r->rows.file, wanted,
                       r->rows.line, fields);
    r->field = (size_t)number - 1;
    return 0;
}

/* Looks at the first row: delimiter, column, and whether it is a header. */
static int read_layout(struct reader *r, struct column *column, struct span row, const char *wanted,
                       bool *is_header, struct err *e)
{
    struct span field = {0};
    r->delimiter = row_find_delimiter(row);
    if (choose_column(r, row, wanted, is_header, e))
        return -1;
    if (r->whole_line || !get_field(r, row, &field))
        field = span_unquoted(span_trimmed(row)); /* like every later row */
    if (*is_header && is_number(field))
        *is_header = false; /* the first row is a reading that contains its name */
    else if (!*is_header) {
        bool text = field.length && !is_number(field) && !is_nan_or_infinity(field);
        bool alone = row_count_fields(row, r->delimiter) == 1;
        bool numeric = alone ? text && (isdigit((unsigned char)field.text[0]) ||
                                        strchr("+-.", field.text[0]) != NULL)
                             : any_field_is_number(row, r->delimiter);
        *is_header = text && !numeric;
    }
    if (*is_header)
        span_printable(column->name, sizeof column->name, field);
    return 0;
}

/* Every reading must have the name and the unit of the first one; another unit of the same quantity
   is converted. */
static int check_kind(struct reader *r, struct column *column, const struct column_reading *reading,
                      struct span field, double *value, struct err *e)
{
    const struct column_unit *unit = reading->unit, *first = r->first.unit;
    char name[sizeof r->name] = "";
    if (reading->name.length)
        span_printable(name, sizeof name, reading->name);
    if (!column->count) {
        r->first = *reading;
        snprintf(r->name, sizeof r->name, "%s", name);
        if (*name)
            snprintf(column->name, sizeof column->name, "%.50s", name);
        if (unit)
            snprintf(column->name + strlen(column->name),
                     sizeof column->name - strlen(column->name), "%s%s%s",
                     *column->name ? " (" : "", unit->name, *column->name ? ")" : "");
    }
    *value = reading->value;
    if (strcmp(name, r->name) != 0)
        return wrong_text(r, field, "has another name than the readings before", e);
    if (column->count &&
        (!unit != !first || (unit && strcmp(unit->quantity, first->quantity) != 0)))
        return wrong_text(r, field,
                          first ? "has not the unit of the readings before"
                                : "has a unit, and the readings before have none",
                          e);
    if (unit && first && unit != first)
        *value *= unit->scale / first->scale;
    return 0;
}

static int read_value(struct reader *r, struct column *column, struct span row, struct err *e)
{
    struct span field = span_trimmed(row);
    if (r->whole_line)
        field = span_unquoted(field);
    else if (!get_field(r, row, &field))
        return err_set(e, ERR_USAGE, "%s, line %zu has no column %zu: it has %zu", r->rows.file,
                       r->rows.line, r->field + 1, row_count_fields(row, r->delimiter));
    if (!field.length)
        return err_set(e, ERR_USAGE, "%s, line %zu: column %zu is empty, a number is expected",
                       r->rows.file, r->rows.line, r->field + 1);

    double value;
    struct column_reading reading;
    enum number_status status = column_reading_parse(field, &reading);
    if (status == NUMBER_TOO_LARGE)
        return wrong_text(r, field, "is too large: readings are of at most 1e60", e);
    if (status == NUMBER_NONE)
        return wrong_text(r, field,
                          is_nan_or_infinity(field)
                              ? "is no finite number: remove or replace such lines"
                              : "is not a number",
                          e);
    if (check_kind(r, column, &reading, field, &value, e))
        return -1;
    if (!reading_fits(value))
        return wrong_text(r, field, "is too large in the unit of the readings before", e);
    return column_add(column, &r->capacity, value, r->rows.file, e);
}

static int read_rows(struct reader *r, struct column *column, const char *wanted, struct err *e)
{
    struct span row;
    bool is_header = false;
    int got = row_reader_next(&r->rows, &row, e);
    if (got > 0 && span_trimmed(row).length && strchr("[{", span_trimmed(row).text[0])) {
        if (column_read_json(column, &r->rows, row, wanted, e))
            return -1;
        got = 0;
    }
    if (got > 0 && read_layout(r, column, row, wanted, &is_header, e))
        return -1;
    if (is_header)
        got = row_reader_next(&r->rows, &row, e);
    for (; got > 0; got = row_reader_next(&r->rows, &row, e))
        if (read_value(r, column, row, e))
            return -1;
    if (got < 0)
        return -1;
    if (!column->count)
        return err_set(e, ERR_USAGE, "%s holds no numbers: one number a line is expected",
                       r->rows.file);
    return 0;
}

int column_read(struct column *column, const char *path, const char *wanted, struct err *e)
{
    *column = (struct column){0};
    struct reader r = {0};
    if (row_reader_open(&r.rows, path, e))
        return -1;
    int status = read_rows(&r, column, wanted, e);
    row_reader_close(&r.rows);
    if (status)
        column_free(column);
    return status;
}
