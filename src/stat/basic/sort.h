/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting values, in linear time and without calling back. Pure, any thread. */
#ifndef CUPEL_STAT_BASIC_SORT_H
#define CUPEL_STAT_BASIC_SORT_H

#include <stddef.h>

/* Sorts x[0..n) in ascending order; `room` is scratch for n values. No NaN. */
void sort_values(double x[], size_t n, double room[]);

/* Number of the sorted x[0..n) that are at most `value`, or that are below it. */
size_t sorted_at_most(const double x[], size_t n, double value);
size_t sorted_below(const double x[], size_t n, double value);

#endif
