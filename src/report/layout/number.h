/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers of the text report. The uncertainty decides the digits: a value and the ends of its
 * interval share one unit and the number of decimals with which half the interval's width shows two
 * digits.
 *
 * Each function writes at most `size` bytes and returns its buffer. NaN is written as "-", an
 * infinite end as "unbounded".
 */
#ifndef CUPEL_REPORT_LAYOUT_NUMBER_H
#define CUPEL_REPORT_LAYOUT_NUMBER_H

#include <stddef.h>

#include "facts/result.h"

#define NUMBER_BUFFER 48

struct number_scale {
    double divisor;
    const char *suffix; /* "k", " us", " MB/s" or "" */
    int decimals;       /* below 0: total number of digits less one, negated; the form then has an
                           exponent */
};

/* Returns the scale for a value of that kind with its interval (NaN: no interval, three digits). */
struct number_scale number_scale_of(enum metric_kind kind, double value, double low, double high);

/* Returns the scale for a number without a unit, 4 to 9 digits. */
struct number_scale number_scale_plain(double value, double low, double high);

char *number_scaled(char *to, size_t size, const struct number_scale *scale, double value);

/* Writes a value without an interval, with its unit. */
char *number_value(char *to, size_t size, enum metric_kind kind, double value);
char *number_plain(char *to, size_t size, double value);

/* Writes a share as percent, with two significant digits: "0.82 %", "1.6 %", "12 %", "140 %", ">999
   %". */
char *number_percent(char *to, size_t size, double share);

/* Writes a share near 1 as percent, with enough decimals to show what is missing, never rounded up:
   "98.9 %", "99.97 %"; "100 %" only for all. */
char *number_share(char *to, size_t size, double share);

/* Writes half of an interval's width over the value, the usual form of precision: "0.82 %"; "-"
   without an interval; ">10x" where it is more than 10 times the value. The second one is "+-..."
   in a cell as well, the third one in a sentence: "+- over 10 times the value". */
char *number_arm(char *to, size_t size, double value, double low, double high);
char *number_arm_signed(char *to, size_t size, double value, double low, double high);
char *number_plus_minus(char *to, size_t size, double value, double low, double high);
/* Writes the precision for a relative width, as --ci accepts it: .1 is "+-5 %". */
char *number_precision(char *to, size_t size, double width);
/* The same for a width that was asked for. `typed`: by --ci, which is the whole width: "+-5 % (a
   width of 10 %)". `size`: NUMBER_ASKED. */
#define NUMBER_ASKED 80
char *number_asked(char *to, size_t size, double width, bool typed);

/* Returns the double with the fewest decimal digits that still identify the float. */
double number_of_float(float value);

/* Writes a length of time for people: "350 ms", "1.2 s", "4 min 10 s". */
char *number_seconds(char *to, size_t size, double seconds);

/* Writes a count: exact up to seven digits, "12.3M" above. */
char *number_count(char *to, size_t size, double count);

#endif
