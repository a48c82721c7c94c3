/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads text that people write, line by line and piece by piece, so that every mistake can be
 * reported with its line and column.
 */
#ifndef CUPEL_BASE_TEXT_READER_H
#define CUPEL_BASE_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* A mistake: its place and a message. */
struct fault {
    size_t line, column; /* from 1; line 0: the mistake is not in a line */
    char message[400];
};

struct text_reader {
    struct span line;  /* the current line without its line end; columns count from its first
                          byte */
    size_t number;     /* number of the current line, from 1; 0: no line was read yet */
    struct span rest;  /* the part of the line that is still to be read */
    struct span below; /* the lines after the current one */
    struct fault *fault;
};

/* Returns a reader that stands before the first line of a text; a byte order mark is skipped. */
struct text_reader reader_of_lines(struct span text, struct fault *fault);

/* Returns a reader of a text that is treated as one line. */
struct text_reader reader_of_line(struct span text, struct fault *fault);

/* Goes to the next line, without LF or CR LF. Returns false at the end: the reader then stays at
   the last line. */
bool reader_next_line(struct text_reader *r);

/* Skips bytes at the beginning of the part of the line that is still to be read. */
void reader_skip(struct text_reader *r, size_t bytes);

/* Returns the text up to the first of `separators`, or up to the end of the line, and moves the
   reader past it and the separator. *by becomes the separator, or 0 at the end of the line. */
struct span reader_piece(struct text_reader *r, const char *separators, char *by);

/* Returns the column, from 1, of a place in the line. */
size_t reader_column(const struct text_reader *r, const char *at);

/* Records a message about a place in the line. Always returns -1. */
int reader_fail(const struct text_reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the line without its comment: a '#' at the start of the line or after a blank begins a
   comment. If the text is `quoted`, a '#' within "..." does not begin one. */
struct span without_comment(struct span line, bool quoted);

/* ---- suggests the word that was meant: the one with the fewest typing errors ---- */

/*
 * Returns the number of insertions, deletions, replacements and swaps of neighbours that turn `a`
 * into `b` (optimal string alignment). For a word of more than 31 characters it is the largest
 * size_t.
 */
size_t typing_distance(const char *a, const char *b);

/*
 * Finds the best of many candidates; call it once for each. It stores `candidate` in *best when it
 * is nearer to `typed` than *best, and near enough: at most one error in three characters. *best
 * starts as NULL.
 */
void nearest_offer(const char *typed, const char *candidate, const char **best);

#endif
