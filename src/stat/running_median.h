/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running median: out[i] is the median of the readings x[i - half .. i + half] that exist. Near the
 * ends the window is cut short. Pure; O(n * half) with a small constant.
 */
#ifndef CUPEL_STAT_RUNNING_MEDIAN_H
#define CUPEL_STAT_RUNNING_MEDIAN_H

#include <stddef.h>

#define RUNNING_MEDIAN_MAX_HALF 31

/* half is at most RUNNING_MEDIAN_MAX_HALF; x and out do not overlap. */
void running_median(const double x[], size_t n, size_t half, double out[]);

#endif
