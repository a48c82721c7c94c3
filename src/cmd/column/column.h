/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a column of numbers from a text file.
 *
 * The file has one number a line, or a table whose fields are separated by tabs, semicolons,
 * commas, bars or blanks: the first of these that occurs in its first line. Fields may be in double
 * quotes as in RFC 4180, but must not contain a line break. Blank lines and lines that start with #
 * are skipped; CR LF and a UTF-8 byte order mark are accepted.
 *
 * The first line may be a header. A table needs a choice of its column; the first line is then a
 * header if the column was chosen by name, or if none of its fields is a number. In a file with one
 * column, the first line is a header if it is text that does not begin like a number. Text anywhere
 * else, NaN, infinities and empty fields are errors.
 *
 * A column may also be a quotient or a difference of columns: bytes/time, (end-start)/rounds.
 *
 * A number may have a name and a unit (reading.c): time=1.42, 1.5 ms, 00:02:15. All numbers must
 * have the same name, and units of the same quantity; they are converted to the unit of the first.
 * JSON is an array of numbers, an array of objects, or an object a line, whose members are the
 * columns. The formats of other programs are rows of program_formats.c: which column and which rows
 * to read, and where the name of what was measured is.
 *
 * column_free frees a column. Reading takes 8 to 24 bytes of memory for each number and does not go
 * back in the file, so pipes work. One thread at a time.
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

/* What to read from a file. NULL members: the default of the file's format. */
struct column_request {
    /* the name or number (from 1) of a column, or a quotient or difference of columns; in another
       program's file also the name of what was measured */
    const char *column;
    /* conditions that rows must meet, joined by commas: rank=total, size>=4096 */
    const char *where;
    const char *name; /* name of what was measured, as listed by column_names_read */
};

#define COLUMN_HELP                                                                                \
    "Which column of a table: its name in the header, its number from 1, or a quotient or "        \
    "difference of columns: bytes/time, (end-start)/rounds."
#define WHERE_HELP                                                                                 \
    "Which rows of a table count: 'rank=total', 'size>=4096, host!=node1*'; all conditions hold. " \
    "For = and != a value may have * and ?, and the case of letters does not matter."

/* A unit of readings. Units of the same quantity can be converted. */
struct column_unit {
    const char *name;
    enum { COLUMN_TIME, COLUMN_RATE, COLUMN_BYTES } quantity;
    double scale; /* factor to the quantity's base unit */
};

/* Returns the unit with this name, or NULL. */
const struct column_unit *column_unit_of(struct span name);

struct column {
    double *values; /* [count], count at least 1, finite numbers in the order of the file */
    size_t count;
    char name[64];                  /* the column's name in the header; "": none */
    const struct column_unit *unit; /* NULL: none */
    /* advice on how to get more values, for a program's summary with a single value; NULL: the file
       is no such summary */
    const char *lone;
};

/*
 * Reads the numbers of `path`; "-" is standard input. Fails with ERR_USAGE, giving file, line and
 * the text that is wrong, or with ERR_MACHINE when memory runs out. The column is then empty and
 * owns no memory.
 */
int column_read(struct column *column, const char *path, const struct column_request *request,
                struct err *e);

void column_free(struct column *column);

/* Prints to standard error that a summary has only one value, which has no interval, and how to get
   more values. Does nothing for other columns. */
void column_say_lone(const struct column *column, const char *path);

/* The names of what was measured in a file of another program, each once. */
#define COLUMN_NAMES 16
#define COLUMN_NAME  128 /* bytes of a name or of a field's value, the rest is not compared */
struct column_names {
    char names[COLUMN_NAMES][COLUMN_NAME];
    size_t count; /* number of names, may exceed COLUMN_NAMES */
};

/* Lists the names of what a file has measured, if its format can hold several names. Files of other
   formats give an empty list. Fails as column_read does. */
int column_names_read(struct column_names *names, const char *path,
                      const struct column_request *request, struct err *e);

/* ---- percentiles of a column, and clauses about it (column_limits.c) ---- */

/* Returns the number of bytes of scratch memory that column_limits needs for n readings. */
size_t column_limits_scratch_bytes(size_t n);

/*
 * Computes percentiles of the stable segment, and the verdict on each clause. `decided` is the
 * estimate of the mean, whose interval decides the clauses on the mean. All clauses together have
 * the confidence of the analysis.
 */
void column_limits(struct analysis *a, const struct clauses *clauses,
                   const struct judgement *judgement, const struct estimate *decided,
                   enum mean_kind mean, struct arena *scratch);

#endif
