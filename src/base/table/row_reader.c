/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads rows from one buffer, and splits them into fields. */
#include "base/table/row_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_BYTES (256u << 10)

static int refill(struct row_reader *r, struct err *e)
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

/* Returns 1 with the next line in *s, without its line end; 0 at the end of the file; -1 on an
   error. */
static int next_line(struct row_reader *r, struct span *s, struct err *e)
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
    r->line_ended = newline != NULL;
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

int row_reader_next(struct row_reader *r, struct span *s, struct err *e)
{
    int got;
    while ((got = next_line(r, s, e)) > 0) {
        struct span content = span_trimmed(*s);
        if (content.length && content.text[0] != '#')
            break;
    }
    return got;
}

bool row_next_field(struct span *row, char delimiter, bool *more, struct span *field)
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

const char *row_keep_field(struct pool *pool, struct span field)
{
    char *undone = malloc(field.length + 1);
    size_t length = 0;
    if (!undone)
        return NULL;
    for (size_t i = 0; i < field.length; i++) {
        undone[length++] = field.text[i];
        if (field.text[i] == '"' && i + 1 < field.length && field.text[i + 1] == '"')
            i++;
    }
    const char *kept = pool_copy(pool, undone, length);
    free(undone);
    return kept;
}

bool field_is_missing(struct span field)
{
    static const char *const words[] = {"na", "nan", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (field.length == strlen(words[i]) && !strncasecmp(field.text, words[i], field.length))
            return true;
    return field.length == 0;
}

size_t row_count_fields(struct span row, char delimiter)
{
    struct span field;
    bool more = true;
    size_t count = 0;
    while (row_next_field(&row, delimiter, &more, &field))
        count++;
    return count;
}

char row_find_delimiter(struct span row)
{
    static const char candidates[] = {'\t', ';', ','};
    row = span_trimmed(row);
    const size_t bars = row_count_fields(row, '|');
    for (size_t i = 0; i < sizeof candidates; i++) {
        const size_t fields = row_count_fields(row, candidates[i]);
        if (fields > 1 && fields >= bars)
            return candidates[i];
    }
    return bars > 1 ? '|' : ' ';
}

void row_reader_close(struct row_reader *r)
{
    free(r->buffer);
    r->buffer = NULL;
    if (r->fd > STDIN_FILENO)
        close(r->fd);
    r->fd = -1;
}

int row_reader_open(struct row_reader *r, const char *path, struct err *e)
{
    bool standard_input = !strcmp(path, "-");
    *r = (struct row_reader){.file = standard_input ? "standard input" : path};
    r->fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
        return -1;
    }
    r->buffer = malloc(LINE_BYTES);
    if (!r->buffer) {
        row_reader_close(r);
        err_no_memory(e, "reading %s", path);
        return -1;
    }
    return 0;
}
