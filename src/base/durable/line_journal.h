/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of text, each with its CRC-32C in eight hexadecimal digits, that are added to a file one by
 * one: what was measured or done so far is kept through an interruption, which leaves at most a
 * part of the last line.
 *
 * A form says where the checksum stands. Files of each form are kept for years: forms are added,
 * never changed.
 */
#ifndef CUPEL_BASE_DURABLE_LINE_JOURNAL_H
#define CUPEL_BASE_DURABLE_LINE_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"

struct line_form {
    const char *separator; /* between a line and its checksum */
    bool in_front;         /* the checksum stands before its line, otherwise after it */
    bool chained; /* it is that of all lines so far: one that is missing or added is noticed, too */
    bool flushed; /* a line is on the medium once it is added */
};

/* Appends the line, its checksum and a line end. `chain` is the checksum of the lines before it,
   and becomes that of this one, too; it begins with 0. */
void line_seal(const struct line_form *form, uint32_t *chain, struct span line, struct text *to);

/* ---- reading ---- */

struct line_reader {
    const struct line_form *form;
    struct span rest;
    uint32_t chain;
    size_t number; /* of the line that was read last, or that is not whole */
};

/* Takes the checksum off a line without its end. False: the line is not as it was written. */
bool line_unseal(const struct line_form *form, uint32_t *chain, struct span *line);

/* Gives the next line, without checksum and end. False: at the end, or before a line that is not
   whole; `rest` then begins with it. */
bool line_next(struct line_reader *r, struct span *line);

/* After line_next returned false: can an interruption have left this rest? False: whole lines
   follow a damaged one. In a chained form, whose later lines cannot be checked, every complete line
   is one. */
bool line_rest_is_torn(const struct line_reader *r);

/* ---- adding ---- */

struct line_journal {
    const struct line_form *form;
    int fd; /* -1: nothing is kept */
    char path[PATH_MAX];
    uint32_t chain;
    off_t end; /* of the whole lines */
    int error; /* errno of the first line that could not be added; no other one is added then */
    struct err failure;
    struct text line; /* room for a line */
};

/* Opens the file at j->path, never through a link; `is_new`: it is created and must not exist.
   Lines up to LINE_JOURNAL_ROOM bytes are then added without allocating. Returns -1 with errno. */
enum { LINE_JOURNAL_ROOM = 4096 };
int line_journal_open(struct line_journal *j, bool is_new);

/* Adds a line. ERR_TARGET, ERR_MACHINE: it is not in the file, whose end is as before; every later
   call fails in the same way. */
int line_journal_add(struct line_journal *j, struct span line, struct err *e);

/* Cuts off what follows the whole lines (j->end). Returns -1 with errno. */
int line_journal_cut(struct line_journal *j);

void line_journal_close(struct line_journal *j);

#endif
