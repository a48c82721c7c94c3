/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes numbers of the text report. The uncertainty decides the digits: a value and the ends of
 * its interval share one unit, and have the decimals with which half the interval's width shows two
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
    /* below 0: written with an exponent and -decimals significant digits */
    int decimals;
};

/* Returns the scale for a value of this kind with its interval. With NaN for the interval, the
   value has three digits. */
struct number_scale number_scale_of(enum metric_kind kind, double value, double low, double high);

/* Returns the scale for a number without a unit, with 4 to 9 digits. */
struct number_scale number_scale_plain(double value, double low, double high);

char *number_scaled(char *to, size_t size, const struct number_scale *scale, double value);

/* Write a value without an interval, with the unit of its kind, or without a unit. */
char *number_value(char *to, size_t size, enum metric_kind kind, double value);
char *number_plain(char *to, size_t size, double value);

/* Writes a share in percent with two significant digits: "0.82 %", "1.6 %", "12 %", "140 %", ">999
   %". */
char *number_percent(char *to, size_t size, double share);

/* Writes a share near 1 in percent with enough decimals to show how much is missing, never rounded
   up: "98.9 %", "99.97 %"; "100 %" means all. */
char *number_share(char *to, size_t size, double share);

/* Write half of the interval's width relative to the value, the usual form of precision. number_arm
   writes "0.82 %"; "-" without an interval; ">10x" if it is more than 10 times the value.
   number_arm_signed writes "+-0.82 %". number_plus_minus is for sentences and writes "+- over 10
   times the value" instead of ">10x". */
char *number_arm(char *to, size_t size, double value, double low, double high);
char *number_arm_signed(char *to, size_t size, double value, double low, double high);
char *number_plus_minus(char *to, size_t size, double value, double low, double high);
/* Writes a relative width, as --ci accepts it, as a precision: .1 is "+-5 %". */
char *number_precision(char *to, size_t size, double width);
/* Writes a requested width as number_precision does. `typed`: the user gave it by --ci, which takes
   the full width, so that width is added: "+-5 % (a width of 10 %)". `size` is at least
   NUMBER_ASKED. */
#define NUMBER_ASKED 80
char *number_asked(char *to, size_t size, double width, bool typed);

/* Returns the double with the fewest decimal digits that still converts to this float. */
double number_of_float(float value);

/* Writes a duration: "350 ms", "1.2 s", "4 min 10 s". */
char *number_seconds(char *to, size_t size, double seconds);

/* Writes a count: exact up to seven digits, otherwise "12.3M". */
char *number_count(char *to, size_t size, double count);

#endif
