/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/column. */
#ifndef CUPEL_CMD_COLUMN_INTERNAL_H
#define CUPEL_CMD_COLUMN_INTERNAL_H

#include <stdbool.h>

#include "cmd/column/column.h"

/* ---- reading.c: one number as programs print it ---- */

struct reading {
    struct span name;               /* in time=1.42, without blanks; empty: no name */
    const struct column_unit *unit; /* NULL: no unit */
    double value;                   /* in the unit above */
};

/* Parses the whole of `text`: 1.42, 1.5 ms, time=1.42, 00:02:15. NUMBER_NONE: it is no reading. */
enum number_status reading_of_text(struct span text, struct reading *r);

/* Is the text NaN, infinite, or a word for a missing value? */
bool reading_is_missing(struct span text);

/* ---- fields of rows and records ---- */

#define FORMULA_OPERANDS  8
#define COLUMN_NAME_SHOWN 58 /* bytes of the name of a column, before its unit */
#define FILTERS_MAX       12

/* A field of rows or records: its index in a table, or its place in JSON. */
struct operand {
    size_t index;
    char name[COLUMN_NAME];
};

/* Finds a field by its name or number. False: there is none. */
typedef bool find_field(const void *context, struct span name, struct operand *to);

/* Returns the field's text in the current row; empty: the row does not have it. */
typedef struct span get_field(const void *context, const struct operand *field);

/* ---- formats.c: files of other programs ---- */

struct column_format {
    const char *program;
    const char *marks;   /* fields of the header, or places in the JSON, that it is known by, joined
                            by ';' */
    const char *records; /* the place of its array of objects; "": the text is one object, or one a
                            line; NULL: it is a table */
    const char *column;  /* the column that is read by default; NULL: the user must choose one */
    const char *where;   /* the default condition of --where; or NULL */
    const char *names;   /* the field with the name of what was measured: readings with different
                            names are not mixed; or NULL */
    const char *name;    /* the name whose readings are taken by default; or NULL */
    const char *unit;    /* "ms"; "=FIELD": the field with the unit; or NULL */
    const char *timed;   /* a pattern: `unit` is that of the columns that match it or, if `name` is
                            given, of the names that do */
    const char *beside;  /* the file in the same folder that has the readings; or NULL */
    const char *remedy;  /* what to do where the column is missing; or NULL */
};

/* Returns the format that a header (`json` false) or a JSON text has; NULL: it is not known. */
const struct column_format *column_format_of(bool json, find_field *has, const void *context);

/* ---- selection.c: which rows of one file count, and what is read of them ---- */

/* A column that is being filled, and the place in the file that messages name. */
struct filling {
    struct column *column;
    size_t capacity;  /* number of values that there is memory for */
    const char *file; /* for messages */
    const char *part; /* "line" or "record" */
    size_t place;     /* number of the current one, from 1 */
    char name[64];    /* the name in the first reading, truncated; all have the same */
};

/* Appends a number. ERR_MACHINE. */
int filling_add_number(struct filling *f, double value, struct err *e);

/* A field, or quotients and differences of fields. */
struct formula {
    struct operand operands[FORMULA_OPERANDS];
    size_t count;
    char program[2 * FORMULA_OPERANDS]; /* postfix: digits are operands, then '/' or '-' */
};

/* False: the text is not made of fields. */
bool formula_parse(struct formula *f, struct span text, find_field *find, const void *context);

struct filter {
    struct operand field;
    char relation[3];        /* = != < <= > >= */
    char value[COLUMN_NAME]; /* for = and != a pattern as in shells, in lower case */
};

struct filters {
    struct filter rows[FILTERS_MAX];
    size_t count;
};

struct selection {
    const struct column_format *format; /* NULL: not known */
    const char *column;                 /* as it is written */
    struct formula formula;
    struct filters filters;
    bool has_names, has_unit;
    struct operand names, unit;           /* fields, where the format has them */
    const struct column_unit *fixed_unit; /* NULL: none */
    char name[COLUMN_NAME];               /* the name whose readings are taken */
    bool chosen;               /* the user or the format chose `name`; else the first row has it */
    struct column_names *list; /* names are only listed; or NULL */
};

/* Binds the request and what is known of the format to fields. `column` is the column, or the name
   of what was measured; NULL: nothing is read. ERR_USAGE. */
int selection_make(struct selection *s, const struct column_request *request, const char *column,
                   find_field *find, const void *context, const char *file, struct err *e);

/* Does the current row count? 1, 0, or -1: it is of something else than the rows before. */
int selection_counts(struct selection *s, const struct filling *f, get_field *get,
                     const void *context, struct err *e);

/* Appends what is read of a row. `texts`: of the formula's operands. */
int selection_add(const struct selection *s, struct filling *f, const struct span texts[],
                  struct span unit, struct err *e);

/* ---- column_json.c ---- */

/* `row` is the first row of the reader and begins like JSON. Errors as column_read. Reads nothing
   where s->format says that the readings are in a file beside it. */
int column_read_json(struct filling *f, struct row_reader *rows, struct span row,
                     struct selection *s, const struct column_request *request, struct err *e);

#endif
