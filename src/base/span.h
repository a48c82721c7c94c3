/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of text from outside: files, /sys, the command line. A struct span points into memory that
 * belongs to others, and is not ended by '\0'.
 */
#ifndef CUPEL_BASE_SPAN_H
#define CUPEL_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"

struct span {
    const char *text;
    size_t length;
};

struct span span_of(const char *text);

static inline bool span_is(struct span s, const char *text)
{
    return strlen(text) == s.length && (!s.length || memcmp(text, s.text, s.length) == 0);
}

/* Returns true if the text equals the word, ignoring the case of letters. */
static inline bool span_is_word(struct span s, const char *word)
{
    return strlen(word) == s.length && (!s.length || !strncasecmp(word, s.text, s.length));
}

/* Returns true if the text ends with `with` and is longer than `with`. */
static inline bool span_ends_with(struct span s, const char *with)
{
    const size_t length = strlen(with);
    return s.length > length && !memcmp(s.text + s.length - length, with, length);
}

struct span span_trimmed(struct span s); /* Removes blanks, tabs and line ends at both ends. */
/* Removes the quotes ("...") around the text, if it has them. */
struct span span_unquoted(struct span s);

/* Copies the text and ends it with '\0'; returns the place of the '\0'. Meant for names and paths:
   this loop copies such short texts faster than a call of musl's memcpy. */
char *span_copy(char *to, struct span s);

/* Returns the number of bytes of the UTF-8 character at the start (RFC 3629); 0 when there is no
   valid one. */
size_t span_character(struct span s);
/* Like span_character, and sets *code to the character's code point, or to 0 if there is no valid
   one. */
size_t span_decode(struct span s, uint32_t *code);

/* Returns true for an invisible character that changes how others are shown: control characters
   (C0, DEL, C1) and Unicode's characters of text direction, of zero width and of line ends (The
   Unicode Standard, 23.2). */
bool span_steers(uint32_t code);

/* Returns true for valid UTF-8 without control characters other than tab, CR and LF. */
bool span_is_text(struct span s);

/*
 * Writes the text so that it fits a message or a report on one line: characters that steer a
 * terminal (span_steers) and bytes that are not UTF-8 become '?', and an end that does not fit
 * becomes "...". Returns `to`, ended by '\0'.
 */
char *span_printable(char *to, size_t size, struct span s);

/*
 * Decodes base64 (RFC 4648, 4) into `to`, which has room for BASE64_BYTES(text.length). ERR_USAGE:
 * the text is not base64. Bits that padding leaves over are ignored, so several texts decode to the
 * same bytes.
 */
#define BASE64_BYTES(characters) ((characters) / 4 * 3)
int span_decode_base64(struct span text, unsigned char *to, size_t *length, struct err *e);

/*
 * Undoes in place the escapes that the kernel uses in its tables of mounts and swaps, where blanks,
 * line ends, backslashes and # are written as \040 and the like (proc(5)). Returns `text`.
 */
char *octal_unescape(char *text);

#endif
