/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts decimal numbers in text to the nearest double, quickly.
 *
 * The form is [+-] digits [. digits] [e [+-] digits] with a digit on at least one side of the
 * point; no blanks, no hexadecimal, no "nan" or "inf". No memory, no state: any thread may call
 * it.
 */
#ifndef CUPEL_BASE_NUMBER_PARSE_H
#define CUPEL_BASE_NUMBER_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_status {
    NUMBER_OK,
    NUMBER_NONE,      /* the text does not have the form above */
    NUMBER_TOO_LARGE, /* beyond what a double can hold */
};

/* Reads all `length` bytes at `text` as one number. The result is the double nearest to it. */
enum number_status number_parse(const char *text, size_t length, double *value);

/*
 * The largest magnitude of a reading that statistics accept. Larger readings would overflow the sum
 * of squares, and a confidence interval would get no width. The highest powers that statistics use
 * are fourth powers, and 10^9 of them at this limit add up to less than 1e250. Measured quantities
 * are far smaller.
 */
#define READING_MAX 1e60

/* Returns true if the magnitude is at most READING_MAX; false for NaN and infinities, too. */
bool reading_fits(double value);

/* Like number_parse, but returns NUMBER_TOO_LARGE also for a value that reading_fits rejects. */
enum number_status reading_parse(const char *text, size_t length, double *value);

/*
 * Reads the longest number without a sign at the beginning of `text`, and sets *end after it. It
 * replaces strtod, whose decimal point depends on the locale. Returns infinity when the number is
 * too large, and NaN, with *end = text, when there is no number.
 */
double number_begin(const char *text, const char **end);

/* Reads up to `max` whole numbers, separated by blanks, from *text, and moves *text past them.
   Returns how many numbers were read. */
size_t number_scan_whole(const char **text, uint64_t numbers[], size_t max);

#endif
