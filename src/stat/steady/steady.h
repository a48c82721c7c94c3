/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides when the rounds of a test of a solid-state disk are steady: by the rule of SNIA's Solid
 * State Storage Performance Test Specification (PTS 2.0.2), and for comparison by statistics.
 *
 * The rule: a window of five consecutive rounds is steady when, for every tracked value, max -
 * min is at most 20 % of the mean, and the least-squares line changes by at most 10 % of the mean
 * from the first round of the window to the last (|slope| x 4). The rule ignores noise:
 * tests/bench/steady_table.c shows how often it errs.
 *
 * Pure: arrays in, struct out, any thread.
 */
#ifndef CUPEL_STAT_STEADY_STEADY_H
#define CUPEL_STAT_STEADY_STEADY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "stat/change/segment.h"
#include "stat/estimate/estimate.h"

#define STEADY_WINDOW 5
/* maximum number of rounds; a test without a steady window by then reports this and ends */
#define STEADY_ROUNDS_MAX 25
#define STEADY_RANGE      0.20
#define STEADY_CHANGE     0.10

struct steady_window {
    double mean, min, max;
    double slope; /* slope of the line, from one round to the next */
    double first; /* value of the line at the first round of the window */
    double range; /* (max - min) / mean */
    /* relative change over the window, slope x 4 / mean; below 0 if the values fall */
    double change;
    /* false if a value is not finite, if the mean is not above 0, or if a limit is exceeded */
    bool steady;
};

struct steady_window steady_window_of(const double y[STEADY_WINDOW]);

/*
 * Returns the first number of rounds, up to `rounds`, after which all `count` values are steady:
 * the window is the STEADY_WINDOW rounds that end there. Returns 0 if they are not steady. y[i][r]:
 * value i of round r.
 */
size_t steady_after(const double *const y[], size_t count, size_t rounds);

/*
 * Decides with a confidence interval whether the rounds are steady. Change points and phase over
 * all rounds (stat/judge.h) give the stable segment. Its rounds in the last half of all rounds
 * count, but at least the last STEADY_WINDOW. A line is fitted to the rounds that count, and the
 * change of this line over a window has an interval: the rounds are steady if the whole interval
 * lies within +-10 % of the mean, drifting if the interval lies wholly outside, otherwise
 * undecided. Five rounds that scatter by 5 % are undecided.
 */
enum drift_verdict { DRIFT_UNDECIDED, DRIFT_STEADY, DRIFT_DRIFTING };

/* returns one of undecided, steady, drifting */
const char *drift_verdict_name(enum drift_verdict verdict);

struct drift {
    enum phase phase;
    size_t begin, end;    /* indices of the rounds that count, half open */
    struct estimate mean; /* mean of the rounds that count */
    /* change of the line through these rounds over a window, divided by the mean; NaN: fewer than 3
       rounds */
    double change;
    double low, high; /* confidence interval of the change; infinite if there is none */
    enum drift_verdict verdict;
};

size_t drift_scratch_bytes(size_t rounds);

struct drift drift_of(const double y[], size_t rounds, bool higher_is_better, double confidence,
                      struct arena *scratch);

#endif
