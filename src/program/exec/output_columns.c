/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a line that a program printed into columns. */
#include "program/exec/internal.h"

/* Returns true for a character that separates columns. strchr is not used, because it finds the
   byte 0 in every set. */
static bool parts_columns(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* Takes the first column off the line. Blanks, tabs or one comma separate two columns, except
   within "...". */
static bool next_column(struct span *rest, struct span *column)
{
    *rest = span_trimmed(*rest);
    if (!rest->length)
        return false;
    size_t i = 0;
    bool quoted = false;
    for (; i < rest->length && (quoted || !parts_columns(rest->text[i])); i++)
        quoted = quoted != (rest->text[i] == '"');
    *column = span_unquoted((struct span){rest->text, i});
    while (i < rest->length && (rest->text[i] == ' ' || rest->text[i] == '\t'))
        i++;
    i += i < rest->length && rest->text[i] == ',';
    *rest = (struct span){rest->text + i, rest->length - i};
    return true;
}

size_t count_columns(struct span line)
{
    struct span column;
    size_t count = 0;
    while (next_column(&line, &column))
        count++;
    return count;
}

bool column_at(struct span line, size_t index, struct span *column)
{
    for (size_t i = 0; next_column(&line, column); i++)
        if (i == index)
            return true;
    return false;
}
