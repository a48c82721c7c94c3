/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of text, each with its CRC-32C in eight hexadecimal digits, that are added to a file one by
 * one. An interruption loses nothing of what was measured or done before it; at most a part of the
 * last line stays.
 *
 * A struct line_form says where the checksum is. Files of each form are kept for years: forms are
 * added, never changed.
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
    const char *separator; /* what separates a line from its checksum */
    bool in_front;         /* true: the checksum precedes its line; false: it follows the line */
    /* each checksum covers all lines up to and including its line, so that a missing or an added
       line is noticed, too */
    bool chained;
    bool flushed; /* each line is flushed to the medium when it is added */
};

/* Appends the line, its checksum and a line end. *chain is the checksum of the line before, 0 at
   first; it becomes the checksum of this line. */
void line_seal(const struct line_form *form, uint32_t *chain, struct span line, struct text *to);

/* ---- reading ---- */

struct line_reader {
    const struct line_form *form;
    struct span rest;
    uint32_t chain;
    size_t number; /* number of the line that was read last, or of the damaged line */
};

/* Removes the checksum from *line, which is without its line end. Returns false if the line is not
   as it was written. */
bool line_unseal(const struct line_form *form, uint32_t *chain, struct span *line);

/* Reads the next line, without its checksum and line end. Returns false at the end, or if the next
   line is incomplete or damaged; r->rest then begins with that line. */
bool line_next(struct line_reader *r, struct span *line);

/* To be called after line_next returned false. Returns true if the remaining text may be a last
   line that an interruption left incomplete. Returns false if intact lines follow the damaged one;
   in a chained form, whose later lines cannot be checked, any line with a line end counts as
   intact. */
bool line_rest_is_torn(const struct line_reader *r);

/* ---- adding ---- */

struct line_journal {
    const struct line_form *form;
    int fd; /* descriptor of the file; -1: lines are not stored */
    char path[PATH_MAX];
    uint32_t chain;
    off_t end; /* offset after the last whole line */
    int error; /* errno of the first line that could not be added; no later line is added then */
    struct err failure;
    struct text line; /* room for a line */
};

/* Opens the file at j->path, never through a link. With `is_new` the file is created and must not
   exist yet. Lines up to LINE_JOURNAL_ROOM bytes are then added without allocating. Returns -1 with
   errno. */
enum { LINE_JOURNAL_ROOM = 4096 };
int line_journal_open(struct line_journal *j, bool is_new);

/* Adds a line. On ERR_TARGET and ERR_MACHINE the line is not in the file, which ends as before;
   every later call fails in the same way. */
int line_journal_add(struct line_journal *j, struct span line, struct err *e);

/* Cuts off everything after the last whole line (j->end). Returns -1 with errno. */
int line_journal_cut(struct line_journal *j);

void line_journal_close(struct line_journal *j);

#endif
