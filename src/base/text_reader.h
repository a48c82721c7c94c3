/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text that people write, read line by line and piece by piece, so that every mistake is reported
 * with its line and column.
 */
#ifndef CUPEL_BASE_TEXT_READER_H
#define CUPEL_BASE_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* A mistake and its place. */
struct fault {
    size_t line, column; /* from 1; line 0: before the first one */
    char message[400];
};

struct text_reader {
    struct span line;  /* without its end; columns are counted from its first byte */
    size_t number;     /* of the line, from 1; 0: none was read yet */
    struct span rest;  /* of the line: still to be read */
    struct span below; /* the lines after it */
    struct fault *fault;
};

/* Before the first line of a text, whose byte order mark is skipped. */
struct text_reader reader_of_lines(struct span text, struct fault *fault);

/* A text as one line. */
struct text_reader reader_of_line(struct span text, struct fault *fault);

/* The next line, without LF or CR LF. False at the end: the last line stays. */
bool reader_next_line(struct text_reader *r);

/* Take bytes off the rest of the line. */
void reader_skip(struct text_reader *r, size_t bytes);

/* The piece up to the first of `separators`, or the rest; the separator, 0 at the end, in *by.
   Both are taken off the rest. */
struct span reader_piece(struct text_reader *r, const char *separators, char *by);

/* The column, from 1, of a place in the line. */
size_t reader_column(const struct text_reader *r, const char *at);

/* Keep a message about a place in the line. Always -1. */
int reader_fail(const struct text_reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The line without its comment: from a '#' on that stands first or after a blank. Within "..." it
   begins none where the text is `quoted`. */
struct span without_comment(struct span line, bool quoted);

/* ---- which word was meant: the one with the fewest typing errors between ---- */

/*
 * Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
 * string alignment). Words above 31 characters are as far apart as can be.
 */
size_t typing_distance(const char *a, const char *b);

/*
 * To find the best of many: keeps `candidate` in *best when it is nearer to `typed` than *best was,
 * and near enough to be meant: at most one error in three characters. *best starts as NULL.
 */
void nearest_offer(const char *typed, const char *candidate, const char **best);

#endif
