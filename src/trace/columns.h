/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats of one event a line in columns: what each column is, and the one reader of them all. */
#ifndef CUPEL_TRACE_COLUMNS_H
#define CUPEL_TRACE_COLUMNS_H

#include "trace/reader.h"

enum column_kind {
    COLUMN_END,
    COLUMN_TIME,    /* whole units */
    COLUMN_SECONDS, /* with a fraction */
    COLUMN_OFFSET,
    COLUMN_LENGTH,
    COLUMN_RESPONSE,
    COLUMN_OP_WORD,  /* R, W, Read, Write in any case */
    COLUMN_OP_DIGIT, /* 0 read, 1 write */
    COLUMN_DEVICE,   /* two of them are joined by `join` */
    COLUMN_PROCESS,
    COLUMN_PROGRAM, /* any text before two numbers and a letter, even blanks; left out */
};

struct column {
    const char *name;
    uint8_t kind;
    uint32_t scale; /* ns or bytes of a unit */
};

#define COLUMNS_MOST 10

struct columns {
    char separator; /* ' ': any number of blanks and tabs */
    char join;
    bool more; /* may more follow? */
    struct column column[COLUMNS_MOST];
};

enum line_kind columns_line(const struct columns *c, struct line_reader *r, struct span line,
                            struct trace_event *event, struct fault *fault);

#endif
