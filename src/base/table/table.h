/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of named columns from a text file that a sweep or a person wrote: a header and rows,
 * separated by commas, semicolons, tabs or blanks (base/table/row_reader.h).
 *
 * A cell is a number (4, 2.5, 1e6; 4k and 1m are sizes in bytes), a text, or missing: an empty
 * cell, NA, NaN or null. A row with more or fewer cells than the header is an error that names
 * its line, so a file that was cut within a row is noticed. A row that repeats the header is
 * skipped.
 *
 * A cell takes 12 bytes, and each different text is stored once. The caller frees a table with
 * table_free, which also accepts a struct of zeros. One thread.
 */
#ifndef CUPEL_BASE_TABLE_TABLE_H
#define CUPEL_BASE_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/number_parse.h"
#include "base/pool.h"
#include "base/string_table.h"
#include "base/table/row_reader.h"
#include "base/text.h"

#define TABLE_COLUMNS_MAX 256
#define TABLE_ROWS_MAX    (4u << 20)
#define TABLE_NO_COLUMN   SIZE_MAX

struct table_column {
    const char *name; /* the name in the header */
    bool kept;        /* true: table_read reads its cells */
    double *number;   /* [rows]; NaN for a text or a missing cell */
    /* [rows], index into table.texts; STRING_TABLE_NONE for a number or a missing cell; with
       `verbatim` every cell has a text */
    uint32_t *text;
    size_t text_count; /* number of cells that are texts */
    size_t missing_count;
};

struct table {
    const char *file; /* path of the file, for messages */
    size_t column_count, rows;
    struct table_column columns[TABLE_COLUMNS_MAX];
    uint32_t *line;      /* [rows], number of the row's line in the file, from 1 */
    bool last_line_open; /* the last line has no line end: the file may be cut there */
    bool verbatim;       /* numbers are stored as text, too */
    size_t header_line;
    size_t row_capacity;
    const char **texts; /* the different texts, each once */
    uint32_t text_capacity;
    struct string_table strings;
    struct pool pool;
    struct row_reader reader;
    char delimiter;
};

/* Opens a file ("-": standard input) and reads its header. ERR_USAGE: the file or its header cannot
   be read. ERR_MACHINE: there is no memory. `t` is empty after an error. `path` must outlive the
   table. */
int table_open(struct table *t, const char *path, struct err *e);

/* Returns the index of the column with that name. If there is no such column, or two of them, the
   error is ERR_USAGE and the result TABLE_NO_COLUMN. */
size_t table_column_named(const struct table *t, const char *name, struct err *e);

/* Returns true if there is a column with that name. */
bool table_has_column(const struct table *t, const char *name);

/* Reads the cells of the columns that are `kept` and closes the file. ERR_USAGE: a row is wrong;
   the message names its line and column. ERR_MACHINE: there is no memory. The table must be freed
   after an error, too. After success it has at least one row. */
int table_read(struct table *t, struct err *e);

void table_free(struct table *t);

static inline bool table_is_number(const struct table *t, size_t column, size_t row)
{
    double value = t->columns[column].number[row];
    return value == value;
}

/* Returns the cell as text: a text unchanged, a number with the fewest digits that read back
   exactly; "" when missing. Valid until the next call with the same `room`. */
const char *table_cell(const struct table *t, size_t column, size_t row, char room[TEXT_NUMBER]);

/* Reads a field as a number: a plain one, or a size such as 4k and 1MiB. */
enum number_status field_number(struct span field, double *value);

/* Returns true if the cell is neither a number nor a text. */
bool table_is_missing(const struct table *t, size_t column, size_t row);

#endif
