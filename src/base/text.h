/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A string that grows. The caller frees it with text_free. When memory runs out the text stays
 * unchanged and `failed` is set; the caller checks `failed` once at the end. Not for use while a
 * run is measuring.
 */
#ifndef CUPEL_BASE_TEXT_H
#define CUPEL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* ended by '\0'; NULL while nothing was added */
    size_t length;
    size_t capacity;
    bool failed;
};

void text_free(struct text *t);
size_t text_lines(const struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends one CSV field (RFC 4180), quoted only when it holds a comma, a quote or a line break.
   Characters that steer a terminal (span_steers), except tabs and line breaks, and bytes that are
   not UTF-8 become '?'. Text that a spreadsheet would run (it begins with =, +, - or @ and is no
   number) is written after an apostrophe. */
void text_add_csv(struct text *t, const char *field);

/* Appends a word quoted for a shell: in single quotes when it contains characters that may have a
   meaning to a shell. */
void text_add_shell(struct text *t, const char *word);

/* Appends base64 (RFC 4648, 4) on one line, padded with '='. span_decode_base64 reads it. */
void text_add_base64(struct text *t, const unsigned char *bytes, size_t length);

/* Writes a whole number in decimal digits, ended by '\0'. Returns `to`. */
#define TEXT_DIGITS 24
char *text_digits(char to[TEXT_DIGITS], uint64_t value);

/* text_add_number appends a double with the fewest digits that read back exactly, or "inf", "-inf",
   "nan". text_number writes it to `to`, and returns `to`. */
#define TEXT_NUMBER 32
void text_add_number(struct text *t, double value);
char *text_number(char to[TEXT_NUMBER], double value);

#endif
