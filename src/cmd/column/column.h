/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a column of numbers from a text file.
 *
 * The file holds one number a line, or a table whose fields are separated by tabs, semicolons,
 * commas, bars or blanks: the first of these that occurs in its first line. Fields may be quoted
 * with
 * "..." as in RFC 4180, but hold no line break. Blank lines and lines that start with # are
 * skipped, CR LF and a UTF-8 byte order mark are accepted.
 *
 * The first line may be a header. A table needs a choice of its column; the first line is then a
 * header when the column was chosen by name, or when none of its fields is a number. In a file with
 * one column the first line is a header when it is text that does not begin like a number. Text
 * anywhere else, NaN and infinities are errors, as is an empty field.
 *
 * A column may also be a quotient or a difference of columns: bytes/time, (end-start)/rounds.
 *
 * A number may have a name and a unit (reading.c): time=1.42, 1.5 ms, 00:02:15. All have the same
 * name, and units of the same quantity, which become that of the first. JSON is an array of
 * numbers, an array of objects, or an object a line, whose members are the columns. What is known
 * of the files of other programs is a row of formats.c: which column and which rows count, and the
 * name of what was measured.
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

/* What is read of a file; a member that is NULL is not chosen. */
struct column_request {
    const char *column; /* its name, its number from 1, or a quotient or difference of columns; of
                           another program's file also the name of what was measured */
    const char *where;  /* conditions for rows, joined by commas: rank=total, size>=4096 */
    const char *name;   /* of what was measured, one that column_names_read lists */
};

#define COLUMN_HELP                                                                                \
    "Which column of a table: its name in the header, its number from 1, or a quotient or "        \
    "difference of columns: bytes/time, (end-start)/rounds."
#define WHERE_HELP                                                                                 \
    "Which rows of a table count: 'rank=total', 'size>=4096, host!=node1*'; all conditions hold. " \
    "For = and != a value may have * and ?, and the case of letters does not matter."

/* A unit of readings. Units of one quantity can be converted. */
struct column_unit {
    const char *name;
    enum { COLUMN_TIME, COLUMN_RATE, COLUMN_BYTES } quantity;
    double scale; /* in the quantity's base unit */
};

/* Returns the unit of that name; NULL: there is none. */
const struct column_unit *column_unit_of(struct span name);

struct column {
    double *values; /* `count` finite numbers, at least one, in the order of the file */
    size_t count;
    char name[64];                  /* from the header; "" without a header */
    const struct column_unit *unit; /* NULL: none */
    const char *lone;               /* what to do about the one value of a program's summary; NULL:
                                       it is none */
};

/*
 * Reads the numbers of `path`; "-" is standard input. ERR_USAGE with file, line and the text at
 * fault, or ERR_MACHINE when memory runs out; the column is then empty and holds no memory.
 */
int column_read(struct column *column, const char *path, const struct column_request *request,
                struct err *e);

void column_free(struct column *column);

/* Says on standard error that a summary has one value, which has no interval, and what has more. */
void column_say_lone(const struct column *column, const char *path);

/* The names of what was measured in one file of another program, each once. */
#define COLUMN_NAMES 16
#define COLUMN_NAME  128 /* bytes of a name, or of a field's value, that are compared */
struct column_names {
    char names[COLUMN_NAMES][COLUMN_NAME];
    size_t count; /* also counts those for which there is no room */
};

/* Lists them; none where the file is of no program that is known to keep several. Errors as
   above. */
int column_names_read(struct column_names *names, const char *path,
                      const struct column_request *request, struct err *e);

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
