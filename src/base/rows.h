/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of a text file and the fields of a row, for input of any length read once, front to
 * back.
 *
 * A row points into the reader's buffer and is good until the next one is read. Fields are
 * parted by one character; ' ' stands for any run of blanks. A field may be quoted with "..." as in
 * RFC 4180, but holds no line break.
 */
#ifndef CUPEL_BASE_ROWS_H
#define CUPEL_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct rows {
    const char *file; /* for messages: the path, or "standard input" */
    size_t line;      /* number of the current line, from 1 */
    int fd;
    bool end_of_file;
    size_t begin, end;
    char *buffer;
};

/* "-" is standard input. ERR_USAGE or ERR_MACHINE; `path` must outlive the reader. */
int rows_open(struct rows *r, const char *path, struct err *e);
void rows_close(struct rows *r);

/*
 * 1 with the next row in *s, 0 at the end of the file, -1 on an error (ERR_USAGE: unreadable, a
 * zero byte, a line above 256 KiB). Blank lines, lines that start with # and a byte order mark are
 * skipped.
 */
int rows_next(struct rows *r, struct span *s, struct err *e);

char row_find_delimiter(struct span row); /* '\t', ';' or ',' if the row holds one, else ' ' */
size_t row_count_fields(struct span row, char delimiter);

/* Walk over a row's fields: `more` is true before the first one. False when there is none left. */
bool row_next_field(struct span *row, char delimiter, bool *more, struct span *field);

#endif
