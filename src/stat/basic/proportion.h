/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interval of a proportion: the performance index that is a count of successes out of trials.
 * Wilson's score interval keeps its coverage near 0 and 1, where mean +- t sd/sqrt(n) does not.
 */
#ifndef CUPEL_STAT_BASIC_PROPORTION_H
#define CUPEL_STAT_BASIC_PROPORTION_H

struct proportion {
    double value;     /* successes / trials; NaN when there are no trials */
    double low, high; /* 0 and 1 when there are no trials */
};

/* `trials` may be an effective sample size, which is not whole. Needs 0 <= successes <= trials. */
struct proportion proportion_wilson(double successes, double trials, double confidence);

#endif
