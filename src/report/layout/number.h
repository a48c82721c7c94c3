/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as the text report writes them. The uncertainty decides the digits: a value and the ends
 * of its interval share one unit and so many decimals that half the interval's width shows two
 * digits.
 *
 * Each function writes at most `size` bytes and returns its buffer. NaN is "-" everywhere, an end
 * that is infinite is "unbounded".
 */
#ifndef CUPEL_REPORT_LAYOUT_NUMBER_H
#define CUPEL_REPORT_LAYOUT_NUMBER_H

#include <stddef.h>

#include "facts/result.h"

#define NUMBER_BUFFER 48

struct number_scale {
    double divisor;
    const char *suffix; /* "k", " us", " MB/s" or "" */
    int decimals;       /* below 0: so many digits in all, less one, with an exponent */
};

/* The scale for a value of that kind with its interval (NaN: none, three digits). */
struct number_scale number_scale_of(enum metric_kind kind, double value, double low, double high);

/* The same for a number without a unit, 4 to 9 digits. */
struct number_scale number_scale_plain(double value, double low, double high);

char *number_scaled(char *to, size_t size, const struct number_scale *scale, double value);

/* A value that has no interval beside it, with its unit. */
char *number_value(char *to, size_t size, enum metric_kind kind, double value);
char *number_plain(char *to, size_t size, double value);

/* A share as percent, two digits that count: "0.82 %", "1.6 %", "12 %", "140 %", ">999 %". */
char *number_percent(char *to, size_t size, double share);

/* A share of nearly all as percent, with so many decimals that what is missing shows, never rounded
   up: "98.9 %", "99.97 %"; "100 %" is all. */
char *number_share(char *to, size_t size, double share);

/* Half of an interval's width over the value, which is how precision is written everywhere:
   "0.82 %"; "-" where there is no interval. */
char *number_arm(char *to, size_t size, double value, double low, double high);
char *number_plus_minus(char *to, size_t size, double value, double low, double high); /* "+-..." */
/* The same for a width over the value, as --ci takes it: .1 is "+-5 %". */
char *number_precision(char *to, size_t size, double width);

/* The double that is written with as few digits as bring the float back. */
double number_of_float(float value);

/* A length of time for people: "350 ms", "1.2 s", "4 min 10 s". */
char *number_seconds(char *to, size_t size, double seconds);

/* A count: exact up to seven digits, "12.3M" above. */
char *number_count(char *to, size_t size, double count);

#endif
