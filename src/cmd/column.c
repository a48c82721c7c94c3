/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading one column of numbers: the layout from the first row, then number by number. */
#include "cmd/internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/number_parse.h"
#include "base/units.h"

/* ---- rows out of one buffer, and their fields ---- */

/*
 * Input of any length is read once, front to back. A row points into the reader's buffer and is
 * good until the next one is read. Fields are parted by one character; ' ' stands for any run of
 * blanks. A field may be quoted with "..." as in RFC 4180, but holds no line break.
 */
struct rows {
    const char *file; /* for messages: the path, or "standard input" */
    size_t line;      /* number of the current line, from 1 */
    int fd;
    bool end_of_file;
    size_t begin, end;
    char *buffer;
};

#define LINE_BYTES (256u << 10)

static int refill(struct rows *r, struct err *e)
{
    memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    if (r->end == LINE_BYTES)
        return err_set(e, ERR_USAGE,
                       "%s, line %zu is longer than %u KiB: this is no table of numbers", r->file,
                       r->line + 1, LINE_BYTES >> 10);
    ssize_t got;
    do
        got = read(r->fd, r->buffer + r->end, LINE_BYTES - r->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_set(e, ERR_USAGE, "cannot read %s: %s", r->file, strerror(errno));
    r->end_of_file = got == 0;
    r->end += (size_t)got;
    return 0;
}

/* 1 with the next line in *s, without its line end; 0 at the end of the file; -1 on an error. */
static int next_line(struct rows *r, struct span *s, struct err *e)
{
    char *newline;
    size_t searched = 0;
    for (;;) {
        char *from = r->buffer + r->begin;
        newline = memchr(from + searched, '\n', r->end - r->begin - searched);
        if (newline || r->end_of_file)
            break;
        searched = r->end - r->begin;
        if (refill(r, e))
            return -1;
    }
    if (!newline && r->begin == r->end)
        return 0;
    s->text = r->buffer + r->begin;
    s->length = (newline ? (size_t)(newline - r->buffer) : r->end) - r->begin;
    r->begin += s->length + (newline ? 1 : 0);
    r->line++;
    if (memchr(s->text, '\0', s->length))
        return err_set(e, ERR_USAGE, "%s, line %zu holds a zero byte: this is no text file",
                       r->file, r->line);
    if (r->line == 1 && s->length >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3)) {
        s->text += 3;
        s->length -= 3;
    }
    return 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* 1 with the next row in *s, 0 at the end of the file, -1 on an error (ERR_USAGE: unreadable, a
   zero byte, a line above 256 KiB). Blank lines, lines that start with # and a byte order mark are
   skipped. The row keeps its outer blanks: they may part fields. */
static int rows_next(struct rows *r, struct span *s, struct err *e)
{
    int got;
    while ((got = next_line(r, s, e)) > 0) {
        struct span content = span_trimmed(*s);
        if (content.length && content.text[0] != '#')
            break;
    }
    return got;
}

/* Walk over a row's fields: `more` is true before the first one. False when there is none left. */
static bool row_next_field(struct span *row, char delimiter, bool *more, struct span *field)
{
    if (delimiter == ' ') {
        *row = span_trimmed(*row);
        *more = row->length > 0;
    }
    if (!*more)
        return false;
    size_t i = 0;
    bool in_quotes = false;
    for (; i < row->length; i++) {
        char c = row->text[i];
        if (c == '"')
            in_quotes = !in_quotes;
        else if (!in_quotes && (c == delimiter || (delimiter == ' ' && is_blank(c))))
            break;
    }
    *field = span_unquoted(span_trimmed((struct span){row->text, i}));
    *more = i < row->length;
    row->text += i + (*more ? 1 : 0);
    row->length -= i + (*more ? 1 : 0);
    return true;
}

static size_t row_count_fields(struct span row, char delimiter)
{
    struct span field;
    bool more = true;
    size_t count = 0;
    while (row_next_field(&row, delimiter, &more, &field))
        count++;
    return count;
}

/* '\t', ';' or ',' if the row holds one, else ' '. */
static char row_find_delimiter(struct span row)
{
    static const char candidates[] = {'\t', ';', ','};
    row = span_trimmed(row);
    for (size_t i = 0; i < sizeof candidates; i++)
        if (row_count_fields(row, candidates[i]) > 1)
            return candidates[i];
    return ' ';
}

static void rows_close(struct rows *r)
{
    free(r->buffer);
    r->buffer = NULL;
    if (r->fd > STDIN_FILENO)
        close(r->fd);
    r->fd = -1;
}

/* "-" is standard input. `path` must outlive the reader. */
static int rows_open(struct rows *r, const char *path, struct err *e)
{
    bool standard_input = !strcmp(path, "-");
    *r = (struct rows){.file = standard_input ? "standard input" : path};
    r->fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
        return -1;
    }
    r->buffer = malloc(LINE_BYTES);
    if (!r->buffer) {
        rows_close(r);
        err_set(e, ERR_MACHINE, "%s: out of memory", path);
        return -1;
    }
    return 0;
}

/* ---- the column ---- */

struct reader {
    struct rows rows;
    char delimiter;
    size_t field;    /* index of the wanted field */
    bool whole_line; /* the only column: the line is the number */
    size_t capacity; /* of column->values */
};

#define QUOTED 44 /* room for text of the input in a message */

static int wrong_text(const struct reader *r, struct span s, const char *what, struct err *e)
{
    char text[QUOTED];
    return err_set(e, ERR_USAGE, "%s, line %zu: \"%s\" %s", r->rows.file, r->rows.line,
                   span_printable(text, sizeof text, s), what);
}

static bool is_number(struct span s)
{
    double value;
    return number_parse(s.text, s.length, &value) != NUMBER_NONE;
}

static bool is_nan_or_infinity(struct span s)
{
    static const char *const words[] = {"nan", "inf", "infinity", "na", "null"};
    if (s.length && (s.text[0] == '-' || s.text[0] == '+')) {
        s.text++;
        s.length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (s.length == strlen(words[i]) && !strncasecmp(s.text, words[i], s.length))
            return true;
    return false;
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

/* The index of the field that is called `name`, or an error that says which ones there are. */
static int find_name(struct reader *r, struct span row, const char *name, struct err *e)
{
    struct span rest = row, field;
    bool more = true, found = false;
    for (size_t i = 0; row_next_field(&rest, r->delimiter, &more, &field); i++) {
        if (field.length != strlen(name) || memcmp(field.text, name, field.length) != 0)
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
        if (fields > 1) {
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
    if (!get_field(r, row, &field))
        field = span_trimmed(row);
    if (!*is_header) {
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
    enum number_status status = number_parse(field.text, field.length, &value);
    if (status == NUMBER_TOO_LARGE)
        return wrong_text(r, field, "is too large for a number", e);
    if (status == NUMBER_NONE)
        return wrong_text(r, field,
                          is_nan_or_infinity(field)
                              ? "is no finite number: remove or replace such lines"
                              : "is not a number",
                          e);
    if (column->count == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 4096;
        double *values = realloc(column->values, capacity * sizeof *values);
        if (!values)
            return err_set(e, ERR_MACHINE, "%s: out of memory after %zu numbers", r->rows.file,
                           column->count);
        column->values = values;
        r->capacity = capacity;
    }
    column->values[column->count++] = value;
    return 0;
}

static int read_rows(struct reader *r, struct column *column, const char *wanted, struct err *e)
{
    struct span row;
    bool is_header = false;
    int got = rows_next(&r->rows, &row, e);
    if (got > 0 && read_layout(r, column, row, wanted, &is_header, e))
        return -1;
    if (is_header)
        got = rows_next(&r->rows, &row, e);
    for (; got > 0; got = rows_next(&r->rows, &row, e))
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
    if (rows_open(&r.rows, path, e))
        return -1;
    int status = read_rows(&r, column, wanted, e);
    rows_close(&r.rows);
    if (status)
        column_free(column);
    return status;
}

void column_free(struct column *column)
{
    free(column->values);
    *column = (struct column){0};
}
