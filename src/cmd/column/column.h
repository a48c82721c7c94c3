/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a column of numbers from a text file.
 *
 * The file holds one number a line, or a table whose fields are separated by tabs, semicolons,
 * commas or blanks: the first of these that occurs in its first line. Fields may be quoted with
 * "..." as in RFC 4180, but hold no line break. Blank lines and lines that start with # are
 * skipped, CR LF and a UTF-8 byte order mark are accepted.
 *
 * The first line may be a header. A table needs a choice of its column; the first line is then a
 * header when the column was chosen by name, or when none of its fields is a number. In a file with
 * one column the first line is a header when it is text that does not begin like a number. Text
 * anywhere else, NaN and infinities are errors, as is an empty field.
 *
 * A number may have a name and a unit (column.c): time=1.42, 1.5 ms. All have the same name,
 * and units of the same quantity, which become that of the first. An array of numbers in JSON and
 * what hyperfine --export-json writes are read as well; `wanted` is then a result's number or its
 * command.
 *
 * Owner: column_free. Reading takes 8 to 24 bytes of memory per number and does not go back in the
 * file, so pipes work. One thread at a time.
 */
#ifndef CUPEL_CMD_COLUMN_COLUMN_H
#define CUPEL_CMD_COLUMN_COLUMN_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "base/table/row_reader.h"
#include "facts/analysis.h"
#include "facts/clause.h"
#include "stat/estimate/estimate.h"
#include "stat/judge.h"

struct column {
    double *values; /* `count` finite numbers, at least one, in the order of the file */
    size_t count;
    char name[64]; /* from the header; "" without a header */
};

/*
 * Reads the numbers of `path`; "-" is standard input. `wanted` is a column's number from 1 or its
 * name in the header, or NULL for the only column. ERR_USAGE with file, line and the text at fault,
 * or ERR_MACHINE when memory runs out; the column is then empty and holds no memory.
 */
int column_read(struct column *column, const char *path, const char *wanted, struct err *e);

void column_free(struct column *column);

/* ---- percentiles of a column, and clauses about it (column_limits.c) ---- */

/* Bytes of scratch for column_limits. */
size_t column_limits_scratch_bytes(size_t n);

/*
 * Computes percentiles of the stable segment, and the verdict on each clause. `decided` is the
 * estimate of the mean, with the interval that a verdict needs; all clauses together have the
 * confidence of the analysis.
 */
void column_limits(struct analysis *a, const struct clauses *clauses,
                   const struct judgement *judgement, const struct estimate *decided,
                   enum mean_kind mean, struct arena *scratch);

#endif
