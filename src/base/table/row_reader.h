/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables in text files, row by row: fields are separated by tabs, semicolons, commas,
 * bars or blanks.
 *
 * Input of any length is read once, from begin to end, so pipes work. A row points into the
 * reader's buffer and is valid until the next one is read. Blank lines, lines that start with #,
 * and a byte order mark are skipped. A field may be quoted with "..." as in RFC 4180, but holds no
 * line break.
 *
 * Owner: row_reader_open, row_reader_close. One thread.
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

/* "-" is standard input. `path` must outlive the reader. ERR_USAGE, ERR_MACHINE. */
int row_reader_open(struct row_reader *r, const char *path, struct err *e);

/* Returns 1 with the next row in *s, 0 at the end of the file, -1 on an error (ERR_USAGE:
   unreadable, a zero byte, a line above 256 KiB). The row keeps its outer blanks, because they may
   separate fields. */
int row_reader_next(struct row_reader *r, struct span *s, struct err *e);

/* Also allowed for a reader of zeros, and for one that is closed already. */
void row_reader_close(struct row_reader *r);

/* Walks over a row's fields: set `more` to true before the first one. False when there is no
   further field. ' ' as the delimiter means any run of blanks. The field is without its outer
   blanks and quotes; doubled quotes within it stay doubled. */
bool row_next_field(struct span *row, char delimiter, bool *more, struct span *field);

/* A copy of a field with its doubled quotes undone; NULL without memory. */
const char *row_keep_field(struct pool *pool, struct span field);

/* Is the field empty, NA, NaN or null? Programs write these for a missing value. */
bool field_is_missing(struct span field);

size_t row_count_fields(struct span row, char delimiter);

/* Returns '\t', ';' or ',' if the row holds one; '|' if it holds more of these; else ' '. */
char row_find_delimiter(struct span row);

#endif
