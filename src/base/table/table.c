/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the header, the rows and the cells of a table. */
#include "base/table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/text.h"
#include "base/units.h"

#define FIRST_ROWS 1024

/* ---- the header ---- */

static bool quotes_are_closed(struct span row)
{
    size_t quotes = 0;
    for (size_t i = 0; i < row.length; i++)
        quotes += row.text[i] == '"';
    return quotes % 2 == 0;
}

static int check_row(const struct table *t, struct span row, struct err *e)
{
    if (!quotes_are_closed(row))
        return err_set(e, ERR_USAGE, "%s, line %zu: a quote is opened and not closed on its line",
                       t->reader.file, t->reader.line);
    if (!span_is_text(row))
        return err_set(e, ERR_USAGE, "%s, line %zu holds control characters or is no UTF-8",
                       t->reader.file, t->reader.line);
    return 0;
}

static int read_header(struct table *t, struct span row, struct err *e)
{
    struct span field;
    bool more = true;
    double number;
    size_t numbers = 0;
    t->delimiter = row_find_delimiter(row);
    t->header_line = t->reader.line;
    if (check_row(t, row, e))
        return -1;
    while (row_next_field(&row, t->delimiter, &more, &field)) {
        if (t->column_count == TABLE_COLUMNS_MAX)
            return err_set(e, ERR_USAGE, "%s, line %zu has more than %d columns", t->reader.file,
                           t->reader.line, TABLE_COLUMNS_MAX);
        const char *name = row_keep_field(&t->pool, field);
        if (!name)
            return err_no_memory(e, "the columns of %s", t->reader.file);
        numbers += number_parse(field.text, field.length, &number) == NUMBER_OK;
        t->columns[t->column_count++] = (struct table_column){.name = name};
    }
    if (numbers == t->column_count)
        return err_set(e, ERR_USAGE,
                       "%s, line %zu holds nothing but numbers: the first line must name the "
                       "columns",
                       t->reader.file, t->reader.line);
    return 0;
}

int table_open(struct table *t, const char *path, struct err *e)
{
    struct span row;
    *t = (struct table){0};
    if (row_reader_open(&t->reader, path, e))
        return -1;
    t->file = t->reader.file;
    int got = row_reader_next(&t->reader, &row, e);
    if (got == 0)
        err_set(e, ERR_USAGE, "%s is empty: a header with the columns' names is expected", t->file);
    if (got > 0 && !read_header(t, row, e))
        return 0;
    table_free(t);
    return -1;
}

bool table_has_column(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i].name, name))
            return true;
    return false;
}

size_t table_column_named(const struct table *t, const char *name, struct err *e)
{
    size_t found = TABLE_NO_COLUMN;
    struct text known = {0};
    for (size_t i = 0; i < t->column_count; i++) {
        text_addf(&known, "%s%s", i ? ", " : "", t->columns[i].name);
        if (strcmp(t->columns[i].name, name) != 0)
            continue;
        if (found != TABLE_NO_COLUMN) {
            err_set(e, ERR_USAGE, "%s has two columns \"%.60s\": %zu and %zu", t->file, name,
                    found + 1, i + 1);
            text_free(&known);
            return TABLE_NO_COLUMN;
        }
        found = i;
    }
    if (found == TABLE_NO_COLUMN)
        err_set(e, ERR_USAGE, "%s has no column \"%.60s\"; its columns are: %.200s", t->file, name,
                known.data ? known.data : "");
    text_free(&known);
    return found;
}

/* ---- rows ---- */

static int grow(struct table *t, struct err *e)
{
    size_t capacity = t->row_capacity ? 2 * t->row_capacity : FIRST_ROWS;
    if (t->rows == TABLE_ROWS_MAX)
        return err_set(e, ERR_USAGE,
                       "%s has more than %u rows: too many to be taken in at once; leave some out",
                       t->file, TABLE_ROWS_MAX);
    uint32_t *line = realloc(t->line, capacity * sizeof *line);
    t->line = line ? line : t->line;
    bool failed = !line;
    for (size_t i = 0; i < t->column_count && !failed; i++) {
        struct table_column *c = &t->columns[i];
        if (!c->kept)
            continue;
        double *number = realloc(c->number, capacity * sizeof *number);
        c->number = number ? number : c->number;
        uint32_t *text = number ? realloc(c->text, capacity * sizeof *text) : NULL;
        c->text = text ? text : c->text;
        failed = !text;
    }
    if (failed)
        return err_no_memory(e, "more than %zu rows of %s", t->rows, t->file);
    t->row_capacity = capacity;
    return 0;
}

enum number_status field_number(struct span field, double *value)
{
    enum number_status status = reading_parse(field.text, field.length, value);
    char text[24];
    uint64_t bytes;
    if (status != NUMBER_NONE || field.length >= sizeof text || !field.length ||
        field.text[0] < '0' || field.text[0] > '9')
        return status;
    span_copy(text, field);
    if (parse_size(text, &bytes, NULL))
        return NUMBER_NONE;
    *value = (double)bytes;
    return NUMBER_OK;
}

/* Returns the text's index in t->texts; STRING_TABLE_NONE without memory. */
static uint32_t number_of_text(struct table *t, struct span s)
{
    uint32_t known = string_table_find(&t->strings, s);
    if (known != STRING_TABLE_NONE)
        return known;
    if (t->strings.count == t->text_capacity) {
        uint32_t capacity = t->text_capacity ? 2 * t->text_capacity : 64;
        const char **texts = realloc(t->texts, capacity * sizeof *texts);
        if (!texts)
            return STRING_TABLE_NONE;
        t->texts = texts;
        t->text_capacity = capacity;
    }
    const char *copy = row_keep_field(&t->pool, s);
    if (!copy)
        return STRING_TABLE_NONE;
    t->texts[t->strings.count] = copy;
    return string_table_add(&t->strings, span_of(copy));
}

static int add_cell(struct table *t, struct table_column *c, struct span field, struct err *e)
{
    double value = NAN;
    char shown[44];
    bool missing = field_is_missing(field);
    enum number_status status = missing ? NUMBER_NONE : field_number(field, &value);
    if (status == NUMBER_TOO_LARGE)
        return err_set(
            e, ERR_USAGE,
            "%s, line %zu, column %.60s: \"%.40s\" is too large: readings are of at most "
            "1e60",
            t->file, t->reader.line, c->name, span_printable(shown, sizeof shown, field));
    c->number[t->rows] = status == NUMBER_OK ? value : (double)NAN;
    c->text[t->rows] = STRING_TABLE_NONE;
    c->missing_count += missing;
    c->text_count += !missing && status == NUMBER_NONE;
    if (!t->verbatim && (missing || status == NUMBER_OK))
        return 0;
    uint32_t known = number_of_text(t, field);
    if (known == STRING_TABLE_NONE)
        return err_no_memory(e, "more than %zu rows of %s", t->rows, t->file);
    c->text[t->rows] = known;
    return 0;
}

/* Returns true if the row repeats the header, as in a file that was joined from several files. */
static bool is_header_again(const struct table *t, struct span row)
{
    struct span field;
    bool more = true;
    for (size_t i = 0; row_next_field(&row, t->delimiter, &more, &field); i++)
        if (!span_is(field, t->columns[i].name))
            return false;
    return true;
}

static int add_row(struct table *t, struct span row, struct err *e)
{
    struct span field;
    bool more = true;
    size_t count = row_count_fields(row, t->delimiter);
    if (check_row(t, row, e))
        return -1;
    if (count == t->column_count && is_header_again(t, row))
        return 0;
    if (count != t->column_count)
        return err_set(
            e, ERR_USAGE, "%s, line %zu has %zu cells, the header has %zu%s", t->file,
            t->reader.line, count, t->column_count,
            t->reader.line_ended ? "" : ": the file ends within this line, take the line out");
    if (t->rows == t->row_capacity && grow(t, e))
        return -1;
    for (size_t i = 0; row_next_field(&row, t->delimiter, &more, &field); i++)
        if (t->columns[i].kept && add_cell(t, &t->columns[i], field, e))
            return -1;
    t->line[t->rows++] = (uint32_t)t->reader.line;
    return 0;
}

int table_read(struct table *t, struct err *e)
{
    struct span row;
    int got;
    while ((got = row_reader_next(&t->reader, &row, e)) > 0)
        if (add_row(t, row, e))
            return -1;
    t->last_line_open = !t->reader.line_ended;
    row_reader_close(&t->reader);
    if (got < 0)
        return -1;
    if (!t->rows)
        return err_set(e, ERR_USAGE, "%s holds no row below its header", t->file);
    return 0;
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->column_count; i++) {
        free(t->columns[i].number);
        free(t->columns[i].text);
    }
    free(t->line);
    free(t->texts);
    string_table_free(&t->strings);
    pool_free(&t->pool);
    row_reader_close(&t->reader);
    *t = (struct table){.reader.fd = -1};
}

/* ---- cells ---- */

bool table_is_missing(const struct table *t, size_t column, size_t row)
{
    const struct table_column *c = &t->columns[column];
    return !table_is_number(t, column, row) &&
           (c->text[row] == STRING_TABLE_NONE ||
            (t->verbatim && field_is_missing(span_of(t->texts[c->text[row]]))));
}

const char *table_cell(const struct table *t, size_t column, size_t row, char room[TEXT_NUMBER])
{
    const struct table_column *c = &t->columns[column];
    if (c->text[row] != STRING_TABLE_NONE)
        return t->texts[c->text[row]];
    if (!table_is_number(t, column, row))
        return "";
    return text_number(room, c->number[row]);
}
