/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/column share. */
#ifndef CUPEL_CMD_COLUMN_INTERNAL_H
#define CUPEL_CMD_COLUMN_INTERNAL_H

#include <stdbool.h>

#include "cmd/column/column.h"

/* ---- reading.c: one number, as programs print it ---- */

struct reading {
    struct span name;               /* "time" of time=1.42, without blanks; empty: no name */
    const struct column_unit *unit; /* NULL: no unit */
    double value;                   /* in `unit` */
};

/* Parses a whole text: 1.42, 1.5 ms, time=1.42, 00:02:15. Returns NUMBER_NONE if it is no
   reading. */
enum number_status reading_of_text(struct span text, struct reading *r);

/* Returns true if the text is NaN, an infinity, or a word for a missing value. */
bool reading_is_missing(struct span text);

/* ---- fields of rows and records ---- */

#define FORMULA_OPERANDS  8
#define COLUMN_NAME_SHOWN 58 /* bytes of a column's name, without its unit */
#define FILTERS_MAX       12

/* A field of rows or records: its index in a table, or its place in JSON. */
struct operand {
    size_t index;
    char name[COLUMN_NAME];
};

/* Finds a field by its name or number. `context` is the row or the records. Returns false if there
   is none. */
typedef bool find_field(const void *context, struct span name, struct operand *to);

/* Returns the field's text in the current row; empty if the row does not have it. */
typedef struct span get_field(const void *context, const struct operand *field);

/* ---- program_formats.c: files of other programs ---- */

struct column_format {
    const char *program;
    /* names of fields in the header, or places in the JSON, that together identify the format;
       joined by ';' */
    const char *marks;
    /* place of the array of objects in the JSON; "": the text is one object, or one a line; NULL: a
       table */
    const char *records;
    const char *column; /* default column; NULL: the user must choose one */
    const char *where;  /* default conditions of --where, or NULL */
    /* field with the name of what was measured: readings of different names are not mixed; or
       NULL */
    const char *names;
    const char *name; /* default name whose readings are read, or NULL */
    const char *unit; /* "ms"; "=FIELD": the field that has the unit; or NULL */
    /* `unit` applies only to columns (or, if `name` is given, to names) that match this pattern */
    const char *timed;
    const char *beside; /* name of the file in the same folder that has the readings, or NULL */
    const char *remedy; /* advice if the column is missing, or NULL */
};

/* Returns the format of a table's header (`json` false) or of a JSON text, or NULL if it is
   unknown. `has` finds fields. */
const struct column_format *column_format_of(bool json, find_field *has, const void *context);

/* ---- selection.c: which rows of a file are read, and which value of them ---- */

/* A column that is being filled, and the place in the file for messages. */
struct filling {
    struct column *column;
    size_t capacity;  /* number of values that memory is allocated for */
    const char *file; /* for messages */
    const char *part; /* "line" or "record" */
    size_t place;     /* number of the current line or record, from 1 */
    char name[64];    /* name in the first reading, truncated; the others must have the same */
};

/* Appends a number. Fails with ERR_MACHINE when memory runs out. */
int filling_add_number(struct filling *f, double value, struct err *e);

/* What is read from a row: a field, or quotients and differences of fields. */
struct formula {
    struct operand operands[FORMULA_OPERANDS];
    size_t count;
    /* the formula in postfix notation: a digit pushes the operand with that index, '/' and '-'
       combine two */
    char program[2 * FORMULA_OPERANDS];
};

/* Parses a formula. Returns false if its operands are not all fields. */
bool formula_parse(struct formula *f, struct span text, find_field *find, const void *context);

struct filter {
    struct operand field;
    char relation[3];        /* one of "=", "!=", "<", "<=", ">", ">=" */
    char value[COLUMN_NAME]; /* the value; after = and !=, a shell pattern in lower case */
};

struct filters {
    struct filter rows[FILTERS_MAX];
    size_t count;
};

struct selection {
    const struct column_format *format; /* NULL: unknown format */
    const char *column;                 /* text of the column or formula */
    struct formula formula;
    struct filters filters;
    bool has_names, has_unit;
    struct operand names, unit; /* fields of the name and the unit, valid if has_names, has_unit */
    const struct column_unit *fixed_unit; /* unit of all readings; NULL: none */
    char name[COLUMN_NAME];               /* name whose readings are read */
    /* the user or the format chose `name`; false: `name` is that of the first row */
    bool chosen;
    struct column_names *list; /* if not NULL, names are only listed, nothing is read */
};

/* Fills a selection from the request and the format of the file, and looks up the fields that it
   names. `column` is the column to read, or the name of what was measured; NULL: nothing is read.
   Fails with ERR_USAGE. */
int selection_make(struct selection *s, const struct column_request *request, const char *column,
                   find_field *find, const void *context, const char *file, struct err *e);

/* Returns 1 if the current row is to be read, 0 if it is to be skipped. Returns -1 with an error if
   the row's name differs from that of the rows before. */
int selection_counts(struct selection *s, const struct filling *f, get_field *get,
                     const void *context, struct err *e);

/* Appends the value of a row. `texts` are the texts of the formula's operands. */
int selection_add(const struct selection *s, struct filling *f, const struct span texts[],
                  struct span unit, struct err *e);

/* ---- column_json.c ---- */

/* Reads a JSON text, whose first row is `row`. Fails as column_read does. Reads nothing if
   s->format says that the readings are in another file. */
int column_read_json(struct filling *f, struct row_reader *rows, struct span row,
                     struct selection *s, const struct column_request *request, struct err *e);

#endif
