/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decimal numbers in text to doubles, to the last bit and fast.
 *
 * The form is [+-] digits [. digits] [e [+-] digits] with a digit on at least one side of the
 * point; no blanks, no hexadecimal, no "nan" or "inf". No memory, no state: any thread may call it.
 */
#ifndef CUPEL_BASE_NUMBER_PARSE_H
#define CUPEL_BASE_NUMBER_PARSE_H

#include <stddef.h>
#include <stdint.h>

enum number_status {
    NUMBER_OK,
    NUMBER_NONE,      /* another form than the one above */
    NUMBER_TOO_LARGE, /* beyond what a double can hold */
};

/* All `length` bytes at `text` must be the number. The result is the double nearest to it. */
enum number_status number_parse(const char *text, size_t length, double *value);

/*
 * The longest such number without a sign that `text` begins with, and *end after it: in place of
 * strtod, whose decimal point is that of a program's locale. Infinite when it is too large; NaN,
 * and *end is `text`, when there is none.
 */
double number_begin(const char *text, const char **end);

/* Up to `max` whole numbers with blanks between, from *text on, which is moved past them.
 * Returns how many there are. */
size_t number_scan_whole(const char **text, uint64_t numbers[], size_t max);

#endif
