/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting values, in linear time and without calling back. Pure, any thread. */
#ifndef CUPEL_STAT_BASIC_SORT_H
#define CUPEL_STAT_BASIC_SORT_H

#include <stddef.h>

/* x[0..n) in ascending order; `room` has space for n values and is written to. No NaN. */
void sort_values(double x[], size_t n, double room[]);

/* How many of the sorted x[0..n) are at most `value`, or below it. */
size_t sorted_at_most(const double x[], size_t n, double value);
size_t sorted_below(const double x[], size_t n, double value);

#endif
