/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one column of numbers: finds the layout of a table from its first row, then reads the
   numbers one by one. */
#include "cmd/column/column.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number_parse.h"
#include "base/units.h"
#include "cmd/column/internal.h"

#define QUOTED 44 /* bytes for quoted input in a message */

struct reader {
    struct row_reader rows;
    char delimiter;
    bool whole_line; /* the file has one column: each line is a number */
    struct span row; /* the row that is being read */
    struct selection selection;
    struct filling filling;
};

void column_free(struct column *column)
{
    free(column->values);
    *column = (struct column){0};
}

/* ---- fields ---- */

static bool field_at(const struct reader *r, size_t index, struct span *field)
{
    struct span rest = r->row;
    bool more = true;
    for (size_t i = 0; row_next_field(&rest, r->delimiter, &more, field); i++)
        if (i == index)
            return true;
    return false;
}

static struct span get_of_row(const void *context, const struct operand *field)
{
    struct span text = {"", 0};
    return field_at(context, field->index, &text) ? text : (struct span){"", 0};
}

/* Returns true if the field is NAME=... with this name, such as time=1.42. */
static bool is_named(struct span field, struct span name)
{
    struct reading reading;
    return reading_of_text(field, &reading) == NUMBER_OK && reading.name.length == name.length &&
           !memcmp(reading.name.text, name.text, name.length);
}

/* Finds a field by its name, which is in the header or in NAME=... of the first row. If there is
   none, takes the text as a number from 1, and otherwise as a name without regard to case. */
static bool find_in_row(const void *context, struct span name, struct operand *to)
{
    const struct reader *r = context;
    struct span rest = r->row, field;
    bool more = true;
    size_t alike = SIZE_MAX, i = 0;
    *to = (struct operand){0};
    for (; row_next_field(&rest, r->delimiter, &more, &field); i++) {
        to->index = i;
        if ((field.length == name.length && !memcmp(field.text, name.text, name.length)) ||
            is_named(field, name))
            return true;
        if (alike == SIZE_MAX && field.length == name.length &&
            !strncasecmp(field.text, name.text, name.length))
            alike = i;
    }
    uint64_t number = 0;
    for (size_t k = 0; k < name.length && number <= i; k++)
        number = isdigit((unsigned char)name.text[k]) ? 10 * number + (uint64_t)(name.text[k] - '0')
                                                      : UINT64_MAX / 16;
    if (name.length && number >= 1 && number <= i)
        to->index = (size_t)number - 1;
    else
        to->index = alike;
    return to->index != SIZE_MAX;
}

static bool is_reading(struct span text)
{
    struct reading r;
    return reading_of_text(text, &r) != NUMBER_NONE;
}

static bool any_field_is_number(struct span row, char delimiter)
{
    struct span field;
    bool more = true;
    while (row_next_field(&row, delimiter, &more, &field))
        if (is_reading(field))
            return true;
    return false;
}

/* ---- the first row ---- */

static int refuse_name(const struct reader *r, const char *name, struct err *e)
{
    char header[QUOTED];
    return err_set(e, ERR_USAGE,
                   "%s has no column \"%.40s\": line %zu, taken as the header, is \"%s\"",
                   r->rows.file, name, r->rows.line,
                   span_printable(header, sizeof header, span_trimmed(r->row)));
}

/* Fails if several columns have this name, as the choice is then ambiguous. */
static int check_unique(const struct reader *r, const char *name, struct err *e)
{
    struct span rest = r->row, field;
    bool more = true;
    size_t first = 0;
    for (size_t i = 1; row_next_field(&rest, r->delimiter, &more, &field); i++) {
        if (!span_is(field, name) && !is_named(field, span_of(name)))
            continue;
        if (first)
            return err_set(e, ERR_USAGE,
                           "%s has columns %zu and %zu called \"%s\": choose one by its number",
                           r->rows.file, first, i, name);
        first = i;
    }
    return 0;
}

/* Chooses the columns to read. Sets *by_name if the request names columns, so that the first row
   must be a header. */
static int choose_column(struct reader *r, const struct column_request *request, bool *by_name,
                         struct err *e)
{
    struct selection *s = &r->selection;
    const char *wanted = request->column;
    const size_t fields = row_count_fields(r->row, r->delimiter);
    uint64_t number;
    *by_name = false;
    if (!s->format && fields > 1)
        s->format = column_format_of(false, find_in_row, r);
    if (!wanted && s->format)
        wanted = s->format->column;
    if (!wanted && !s->list) {
        r->whole_line = !request->where;
        if (fields > 1 && !is_reading(r->row)) {
            char text[QUOTED];
            return err_set(e, ERR_USAGE,
                           "%s has %zu columns (line %zu is \"%s\"): choose one with --column NAME "
                           "or --column NUMBER",
                           r->rows.file, fields, r->rows.line,
                           span_printable(text, sizeof text, span_trimmed(r->row)));
        }
        wanted = "1";
    }
    if (wanted && !parse_unsigned(wanted, &number, NULL)) {
        if (number < 1 || number > fields)
            return err_set(e, ERR_USAGE, "%s has no column %s: line %zu has %zu", r->rows.file,
                           wanted, r->rows.line, fields);
    } else if (wanted) {
        *by_name = true;
        if (check_unique(r, wanted, e))
            return -1;
    }
    const bool has_names = s->format && s->format->names && s->format->column;
    struct formula trial;
    if (*by_name && !has_names && !formula_parse(&trial, span_of(wanted), find_in_row, r))
        return refuse_name(r, wanted, e);
    int status = selection_make(s, request, wanted, find_in_row, r, r->rows.file, e);
    *by_name = *by_name || s->filters.count;
    return status;
}

/* Examines the first row: finds the delimiter, the column, and whether the row is a header. */
static int read_layout(struct reader *r, const struct column_request *request, bool *is_header,
                       struct err *e)
{
    struct span field = {0};
    struct column *column = r->filling.column;
    r->delimiter = row_find_delimiter(r->row);
    if (choose_column(r, request, is_header, e))
        return -1;
    if (r->whole_line || !field_at(r, r->selection.formula.operands[0].index, &field))
        /* the row as a whole is one value; quotes are removed, as read_value removes those of later
           rows */
        field = span_unquoted(span_trimmed(r->row));
    if (*is_header && !r->selection.format && is_reading(field))
        *is_header = false; /* the first row is a reading such as time=1.42, not a header */
    else if (!*is_header) {
        bool text = field.length && !is_reading(field) && !reading_is_missing(field);
        bool alone = row_count_fields(r->row, r->delimiter) == 1;
        bool numeric = alone ? text && (isdigit((unsigned char)field.text[0]) ||
                                        strchr("+-.", field.text[0]) != NULL)
                             : any_field_is_number(r->row, r->delimiter);
        *is_header = text && !numeric;
    }
    *is_header = *is_header || r->selection.format;
    if (*is_header && r->selection.formula.count > 1)
        snprintf(column->name, sizeof column->name, "%.58s", r->selection.column);
    else if (*is_header)
        span_printable(column->name, sizeof column->name, field);
    return 0;
}

/* ---- the rows ---- */

static int read_value(struct reader *r, struct err *e)
{
    struct selection *s = &r->selection;
    struct span texts[FORMULA_OPERANDS], unit = {"", 0};
    r->filling.place = r->rows.line;
    if (r->whole_line) {
        texts[0] = span_unquoted(span_trimmed(r->row));
        if (!texts[0].length)
            return err_set(e, ERR_USAGE, "%s, line %zu: column 1 is empty, a number is expected",
                           r->rows.file, r->rows.line);
        return selection_add(s, &r->filling, texts, unit, e);
    }
    int counts = selection_counts(s, &r->filling, get_of_row, r, e);
    if (counts <= 0 || s->list)
        return counts < 0 ? -1 : 0;
    for (size_t i = 0; i < s->formula.count; i++) {
        const size_t index = s->formula.operands[i].index;
        if (!field_at(r, index, &texts[i]))
            return err_set(e, ERR_USAGE, "%s, line %zu has no column %zu: it has %zu", r->rows.file,
                           r->rows.line, index + 1, row_count_fields(r->row, r->delimiter));
        const char *remedy = s->format ? s->format->remedy : NULL;
        if (!texts[i].length)
            return err_set(
                e, ERR_USAGE, "%s, line %zu: column %zu is empty, a number is expected%s%s",
                r->rows.file, r->rows.line, index + 1, remedy ? "; " : "", remedy ? remedy : "");
    }
    if (s->has_unit)
        unit = get_of_row(r, &s->unit);
    return selection_add(s, &r->filling, texts, unit, e);
}

static int read_rows(struct reader *r, const struct column_request *request, struct err *e)
{
    struct column *column = r->filling.column;
    const struct column_names *list = r->selection.list;
    bool is_header = false;
    int got = row_reader_next(&r->rows, &r->row, e);
    if (got > 0 && span_trimmed(r->row).length && strchr("[{", span_trimmed(r->row).text[0])) {
        if (column_read_json(&r->filling, &r->rows, r->row, &r->selection, request, e))
            return -1;
        got = 0;
    }
    if (got > 0 && read_layout(r, request, &is_header, e))
        return -1;
    if (is_header)
        got = row_reader_next(&r->rows, &r->row, e);
    for (; got > 0; got = row_reader_next(&r->rows, &r->row, e))
        if (read_value(r, e))
            return -1;
    if (got < 0)
        return -1;
    const struct column_format *format = r->selection.format;
    if (column->count || list || (format && format->beside))
        return 0;
    if (r->selection.filters.count)
        return err_set(e, ERR_USAGE, "%s has no row for which all conditions hold", r->rows.file);
    return err_set(e, ERR_USAGE, "%s holds no numbers: one number a line is expected",
                   r->rows.file);
}

static int read_file(struct column *column, const char *path, const struct column_request *request,
                     struct column_names *list, const struct column_format **format, struct err *e)
{
    struct reader r = {.filling = {.column = column, .part = "line"}, .selection.list = list};
    *column = (struct column){0};
    if (row_reader_open(&r.rows, path, e))
        return -1;
    r.filling.file = r.rows.file;
    int status = read_rows(&r, request, e);
    *format = r.selection.format;
    if (*format && (*format)->records && column->count == 1)
        column->lone = (*format)->remedy;
    row_reader_close(&r.rows);
    if (status)
        column_free(column);
    return status;
}

/* Reads a file, or, if its format says so, the file in the same folder that has its readings. */
static int read_readings(struct column *column, const char *path,
                         const struct column_request *request, struct column_names *list,
                         struct err *e)
{
    const struct column_format *format, *ignored;
    char beside[PATH_MAX];
    if (read_file(column, path, request, list, &format, e))
        return -1;
    if (!format || !format->beside)
        return 0;
    const char *slash = strrchr(path, '/');
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path,
             format->beside);
    if (!read_file(column, beside, request, list, &ignored, NULL) && (column->count || list))
        return 0;
    column_free(column);
    return err_set(e, ERR_USAGE,
                   "%s has estimates alone, and the readings of %s are in %s beside it, which "
                   "cannot be read",
                   path, format->program, format->beside);
}

int column_read(struct column *column, const char *path, const struct column_request *request,
                struct err *e)
{
    return read_readings(column, path, request, NULL, e);
}

void column_say_lone(const struct column *column, const char *path)
{
    if (column->lone)
        fprintf(stderr, "cupel: %s has one value of %s, which has no interval: %s\n", path,
                column->name, column->lone);
}

int column_names_read(struct column_names *names, const char *path,
                      const struct column_request *request, struct err *e)
{
    struct column column;
    *names = (struct column_names){.count = 0};
    int status = read_readings(&column, path, request, names, e);
    column_free(&column);
    return status;
}
