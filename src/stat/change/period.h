/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Periods: a garbage collection every 10 s, a flusher every 5 s. The mean of a periodic series
 * predicts its future only if the series contains at least PERIOD_MIN_CYCLES periods.
 *
 * A signal with a period of n / c readings has its power in lines at the frequencies c, 2c, 3c
 * ... of the periodogram (estimate/periodogram.h), while the spectrum of noise of any colour is
 * smooth there. So each line is compared with the frequencies beside it, up to halfway to the
 * next line: without a period the ratio of their mean powers has Fisher's F distribution, because
 * powers of different frequencies are independent and exponentially distributed (R. A. Fisher,
 * *Tests of significance in harmonic analysis*, 1929; W. A. Fuller, *Introduction to Statistical
 * Time Series*, 1996, 7.1). The p-values of the first m lines are combined by Fisher's method,
 * for each m up to PERIOD_LINES, so that a sine is found as well as short dips. A period is found
 * when the smallest p-value, multiplied by the number of periods and of m that could be tried, is
 * at most PERIOD_ERROR. When the lines found are every second or third line of a longer period,
 * the first line of the longer period shows this.
 *
 * The position of a single step gives the series lines as well. So the repeated pattern has to be
 * present in each third of the series, with at least a third of its mean depth.
 *
 * Periods of a third of the series to 16 readings are found, in 250 readings or more. Above
 * PERIOD_MAX_READINGS, block means replace the readings. Pure, any thread.
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
    /* The mean of all periods is divided into 16 parts. These are the means of its lowest, its
       median and its highest part. */
    double low, middle, high;
    /* by how much readings away from the median, or an incomplete period at the end, shift the mean
     */
    double shift;
};

size_t period_scratch_bytes(size_t n);

struct period period_of(const double x[], size_t n, struct arena *scratch);

#endif
