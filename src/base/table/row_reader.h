/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables in text files row by row: fields are separated by tabs, semicolons, commas, bars
 * or blanks.
 *
 * Input of any length is read once, from beginning to end, so pipes work. A row points into the
 * reader's buffer and is valid until the next one is read. Blank lines, lines that start with #,
 * and a byte order mark are skipped. A field may be quoted with "..." as in RFC 4180, but
 * contains no line break.
 *
 * The caller opens a reader with row_reader_open and closes it with row_reader_close. One thread.
 */
#ifndef CUPEL_BASE_TABLE_ROW_READER_H
#define CUPEL_BASE_TABLE_ROW_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"

struct row_reader {
    const char *file; /* for messages: the path, or "standard input" */
    size_t line;      /* number of the current line, from 1 */
    bool line_ended;  /* the current line has a line end; only the last line may lack it */
    int fd;
    bool end_of_file;
    size_t begin, end;
    char *buffer;
};

/* Opens the file; "-" is standard input. `path` must outlive the reader. ERR_USAGE: the file cannot
   be opened. ERR_MACHINE: there is no memory. */
int row_reader_open(struct row_reader *r, const char *path, struct err *e);

/* Returns 1 with the next row in *s, 0 at the end of the file, -1 on an error (ERR_USAGE: the file
   is unreadable, contains a zero byte or a line above 256 KiB). Blanks at both ends stay in the
   row, because they may separate fields. */
int row_reader_next(struct row_reader *r, struct span *s, struct err *e);

/* May also be called for a struct of zeros, and a second time. */
void row_reader_close(struct row_reader *r);

/* Reads the next field of a row; set `more` to true before the first one. Returns false when there
   is no further field. ' ' as the delimiter means any run of blanks. The field comes without blanks
   and quotes at its ends; doubled quotes within it stay doubled. */
bool row_next_field(struct span *row, char delimiter, bool *more, struct span *field);

/* Returns a copy of a field, in which doubled quotes are single; NULL without memory. */
const char *row_keep_field(struct pool *pool, struct span field);

/* Returns true if the field is empty, NA, NaN or null, which programs write for a missing value. */
bool field_is_missing(struct span field);

size_t row_count_fields(struct span row, char delimiter);

/* Returns the row's delimiter: the first of '\t', ';' and ',' that splits the row into several
   fields, at least as many as '|' does; else '|' if the row contains one; else ' '. */
char row_find_delimiter(struct span row);

#endif
