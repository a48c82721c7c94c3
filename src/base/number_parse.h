/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decimal numbers in text to doubles, to the last bit and fast.
 *
 * The form is [+-] digits [. digits] [e [+-] digits] with a digit on at least one side of the
 * point; no blanks, no hexadecimal, no "nan" or "inf". No memory, no state: any thread may call it.
 */
#ifndef CUPEL_BASE_NUMBER_PARSE_H
#define CUPEL_BASE_NUMBER_PARSE_H

#include <stdbool.h>
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
 * The largest size of a reading, which statistics are made of. Their fourth powers, summed over
 * 10^9 readings, stay below 1e250, and no larger powers are taken; a quantity that anybody measures
 * is far below it. The sum of squares of larger ones overflows, and an interval gets no width.
 */
#define READING_MAX 1e60

/* Can statistics be made of it? False for NaN and infinities, too. */
bool reading_fits(double value);

/* As number_parse; NUMBER_TOO_LARGE for what does not fit. */
enum number_status reading_parse(const char *text, size_t length, double *value);

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
