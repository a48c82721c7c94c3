/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts values in linear time, without a comparison function. Pure, any thread. */
#ifndef CUPEL_STAT_BASIC_SORT_H
#define CUPEL_STAT_BASIC_SORT_H

#include <stddef.h>

/* Sorts x[0..n) in ascending order; `room` is scratch for n values. x holds no NaN. */
void sort_values(double x[], size_t n, double room[]);

/* Return how many of the sorted x[0..n) are at most `value`, and how many are below it. */
size_t sorted_at_most(const double x[], size_t n, double value);
size_t sorted_below(const double x[], size_t n, double value);

#endif
