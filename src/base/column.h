/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A column of numbers out of a text file.
 *
 * The file holds one number a line, or a table whose fields are parted by tabs, semicolons, commas
 * or blanks: whichever of these, in this order, its first line holds. Fields may be quoted with
 * "..." as in RFC 4180, but hold no line break. Blank lines and lines that start with # are
 * skipped, CR LF and a UTF-8 byte order mark are accepted.
 *
 * The first line may be a header. A table needs a choice of its column; the first line is then a
 * header when the column was chosen by name, or when the field at the chosen number and all others
 * are no numbers. In a file with one column the first line is a header when it is text that does
 * not begin like a number. Text anywhere else, NaN and infinities are errors, as is an empty field.
 *
 * Owner: column_free. Reading takes 8 to 24 bytes of memory per number and does not go back in the
 * file, so pipes work. One thread at a time.
 */
#ifndef CUPEL_BASE_COLUMN_H
#define CUPEL_BASE_COLUMN_H

#include <stddef.h>

#include "base/err.h"

struct column {
    double *values; /* `count` finite numbers, in the order of the file; at least one */
    size_t count;
    char name[64]; /* from the header, "" without one */
};

/*
 * Read the numbers of `path`; "-" is standard input. `wanted` is a column's number from 1 or its
 * name in the header, or NULL for the only column. ERR_USAGE with file, line and the text at fault,
 * or ERR_MACHINE when memory runs out; the column is then empty and holds no memory.
 */
int column_read(struct column *column, const char *path, const char *wanted, struct err *e);

void column_free(struct column *column);

#endif
