/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of named columns out of a text file, as a sweep writes it and as people make it: a header
 * and rows, parted by commas, semicolons, tabs or blanks (table/row_reader.h).
 *
 * A cell is a number (4, 2.5, 1e6; 4k and 1m are sizes in bytes), a text, or missing: an empty one,
 * NA, NaN or null. A row with another number of cells than the header is an error that names its
 * line, so that a file which was cut within a row is not taken for a whole one. A row that repeats
 * the header is skipped.
 *
 * A cell takes 12 bytes, beside each different text once. Owner: table_free, of zeros too. One
 * thread.
 */
#ifndef CUPEL_TABLE_TABLE_H
#define CUPEL_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/number_parse.h"
#include "base/pool.h"
#include "base/string_table.h"
#include "base/text.h"
#include "table/row_reader.h"

#define TABLE_COLUMNS_MAX 256
#define TABLE_ROWS_MAX    (4u << 20)
#define TABLE_NO_COLUMN   SIZE_MAX

struct table_column {
    const char *name;  /* as the header has it */
    bool kept;         /* otherwise there are no cells */
    double *number;    /* [rows]; NaN: a text, or missing */
    uint32_t *text;    /* [rows], a place in table.texts; STRING_TABLE_NONE: a number, or missing;
                          with verbatim cells every one has its text */
    size_t text_count; /* cells that are texts */
    size_t missing_count;
};

struct table {
    const char *file; /* for messages */
    size_t column_count, rows;
    struct table_column columns[TABLE_COLUMNS_MAX];
    uint32_t *line;      /* [rows], from 1 */
    bool last_line_open; /* the last line has no line end: the file may be cut there */
    bool verbatim;       /* numbers are kept as text, too */
    size_t header_line;
    size_t row_capacity;
    const char **texts; /* each different one */
    uint32_t text_capacity;
    struct string_table strings;
    struct pool pool;
    struct row_reader reader;
    char delimiter;
};

/* Open a file ("-": standard input) and read its header. ERR_USAGE, ERR_MACHINE; `t` is then empty.
   `path` must outlive the table. */
int table_open(struct table *t, const char *path, struct err *e);

/* The column of that name. ERR_USAGE: there is none, or there are two. TABLE_NO_COLUMN then. */
size_t table_column_named(const struct table *t, const char *name, struct err *e);

/* Is there such a column? */
bool table_has_column(const struct table *t, const char *name);

/* Read the rows of the columns that are `kept` and close the file. ERR_USAGE with line and column,
   ERR_MACHINE; the table must then be freed. At least one row is there afterwards. */
int table_read(struct table *t, struct err *e);

void table_free(struct table *t);

static inline bool table_is_number(const struct table *t, size_t column, size_t row)
{
    double value = t->columns[column].number[row];
    return value == value;
}

/* The cell as text: as it stands, a number with as few digits as bring it back; "" when missing.
   Good until the next call with the same `room`. */
const char *table_cell(const struct table *t, size_t column, size_t row, char room[TEXT_NUMBER]);

/* A cell's number: a plain one, or a size as 4k and 1MiB. */
enum number_status field_number(struct span field, double *value);

/* Neither a number nor a text. */
bool table_is_missing(const struct table *t, size_t column, size_t row);

#endif
