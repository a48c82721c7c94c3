/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Periods: a garbage collection every 10 s, a flusher every 5 s. The mean of a series that repeats
 * itself says something about the time after it once it holds PERIOD_MIN_CYCLES periods.
 *
 * A signal with a period of n / c readings has its power at the frequencies c, 2c, 3c ... of the
 * periodogram (estimate/periodogram.h), in lines; noise of any colour has a spectrum that is smooth
 * there. So each line is compared with the frequencies beside it, up to halfway to the next line:
 * without a period the ratio of their mean powers has Fisher's F distribution, because powers of
 * different frequencies are independent and exponentially distributed (R. A. Fisher, *Tests of
 * significance in harmonic analysis*, 1929; W. A. Fuller, *Introduction to Statistical Time
 * Series*, 1996, 7.1). The p-values of the first m lines are combined by Fisher's method, for each
 * m up to PERIOD_LINES, so that a sine is found as well as short dips. A period is found when the
 * smallest p-value, multiplied by the number of periods and of m that could be tried, is at most
 * PERIOD_ERROR. Lines that are every second or third one of a longer period are recognised by the
 * first line of that.
 *
 * A single step has lines, too, by where it lies. So what repeats itself has to be there in each
 * third of the series, with a third of its mean depth at least.
 *
 * Periods of a third of the series to 16 readings are found, in 250 readings or more. Above
 * PERIOD_MAX_READINGS, means of blocks stand for the readings. Pure, any thread.
 */
#ifndef CUPEL_STAT_CHANGE_PERIOD_H
#define CUPEL_STAT_CHANGE_PERIOD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define PERIOD_ERROR        0.01
#define PERIOD_LINES        6
#define PERIOD_MIN_CYCLES   5
#define PERIOD_MAX_READINGS 2048

struct period {
    bool found;
    double readings; /* length of a period */
    double cycles;   /* number of periods in the series */
    /* The mean of all periods is cut into 16 parts: the lowest, the median, the highest. */
    double low, middle, high;
    double shift; /* by how much it moves the mean: readings off the median do, or a part of a
                     period */
};

size_t period_scratch_bytes(size_t n);

struct period period_of(const double x[], size_t n, struct arena *scratch);

#endif
