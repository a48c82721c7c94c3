/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text being built: a growing string. Owner: text_free. When memory runs out the text stays as it
 * was and `failed` is set, to be looked at once at the end. Not for use while a run is measuring.
 */
#ifndef CUPEL_BASE_TEXT_H
#define CUPEL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* always ends in '\0'; NULL while empty */
    size_t length;
    size_t capacity;
    bool failed;
    bool marked; /* cells and headings are marked for a page (report/layout/layout.h) */
};

void text_free(struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One CSV field (RFC 4180): quoted only when it holds a comma, a quote or a line break. Characters
   that steer a terminal (span_steers), but for tabs and line breaks, and what is no UTF-8 become
   '?'. What a spreadsheet would run (=, +, - or @ before what is no number) stands after an
   apostrophe. */
void text_add_csv(struct text *t, const char *field);

/* Base64 (RFC 4648, 4) in one piece, padded with '='. span_decode_base64 is the way back. */
void text_add_base64(struct text *t, const unsigned char *bytes, size_t length);

/* A whole number in decimal digits, ended by '\0'. Returns `to`. */
#define TEXT_DIGITS 24
char *text_digits(char to[TEXT_DIGITS], uint64_t value);

/* A double with as few digits as bring it back exactly, and "inf", "-inf", "nan" otherwise; the
   same into an array, which is returned. */
#define TEXT_NUMBER 32
void text_add_number(struct text *t, double value);
char *text_number(char to[TEXT_NUMBER], double value);

#endif
