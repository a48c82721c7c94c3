/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads lines and pieces of a text, records the place of a mistake, and suggests the word that was
   probably meant. */
#include "base/text_reader.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct text_reader reader_of_lines(struct span text, struct fault *fault)
{
    if (text.length >= 3 && !memcmp(text.text, "\xef\xbb\xbf", 3))
        text = (struct span){text.text + 3, text.length - 3};
    struct span none = {.text = text.text};
    return (struct text_reader){.line = none, .rest = none, .below = text, .fault = fault};
}

struct text_reader reader_of_line(struct span text, struct fault *fault)
{
    return (struct text_reader){.line = text, .number = 1, .rest = text, .fault = fault};
}

bool reader_next_line(struct text_reader *r)
{
    struct span line = r->below;
    if (!line.length)
        return false;
    const char *end = memchr(line.text, '\n', line.length);
    if (end)
        line.length = (size_t)(end - line.text);
    size_t taken = line.length + (end != NULL);
    r->below.text += taken;
    r->below.length -= taken;
    if (line.length && line.text[line.length - 1] == '\r')
        line.length--;
    r->line = r->rest = line;
    r->number++;
    return true;
}

void reader_skip(struct text_reader *r, size_t bytes)
{
    r->rest.text += bytes;
    r->rest.length -= bytes;
}

struct span reader_piece(struct text_reader *r, const char *separators, char *by)
{
    struct span piece = {.text = r->rest.text};
    *by = 0;
    while (piece.length < r->rest.length && !strchr(separators, piece.text[piece.length]))
        piece.length++;
    if (piece.length < r->rest.length)
        *by = piece.text[piece.length];
    reader_skip(r, piece.length + (piece.length < r->rest.length));
    return piece;
}

size_t reader_column(const struct text_reader *r, const char *at)
{
    return (size_t)(at - r->line.text) + 1;
}

int reader_fail(const struct text_reader *r, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    r->fault->line = r->number;
    r->fault->column = reader_column(r, at);
    vsnprintf(r->fault->message, sizeof r->fault->message, format, arguments);
    va_end(arguments);
    return -1;
}

struct span without_comment(struct span line, bool quoted)
{
    bool within = false;
    for (size_t i = 0; i < line.length; i++) {
        within ^= quoted && line.text[i] == '"';
        if (line.text[i] == '#' && !within &&
            (i == 0 || line.text[i - 1] == ' ' || line.text[i - 1] == '\t'))
            line.length = i;
    }
    return line;
}

/* ---- which word was meant ---- */

enum { WORD_MAX = 31 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t typing_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > WORD_MAX || columns > WORD_MAX)
        return SIZE_MAX;

    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= rows; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = smaller(replaced, smaller(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[rows][columns];
}

void nearest_offer(const char *typed, const char *candidate, const char **best)
{
    size_t distance = typing_distance(typed, candidate);
    size_t length = strlen(typed);
    size_t tolerated = length < 3 ? 1 : (length + 2) / 3;
    if (distance > tolerated || distance >= strlen(candidate))
        return;
    if (!*best || distance < typing_distance(typed, *best))
        *best = candidate;
}
