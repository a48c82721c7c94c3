/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When rounds of a test of a solid-state disk are steady: the rule of SNIA's Solid State Storage
 * Performance Test Specification (PTS 2.0.2), and beside it what the rounds show statistically.
 *
 * The rule: a window of five consecutive rounds is steady when, for every tracked value, max - min
 * is at most 20 % of the mean, and the least-squares line changes by at most 10 % of the mean from
 * the first round of the window to the last (|slope| x 4). It knows no noise:
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

#define STEADY_WINDOW     5
#define STEADY_ROUNDS_MAX 25 /* without a steady window after these the test says so and ends */
#define STEADY_RANGE      0.20
#define STEADY_CHANGE     0.10

struct steady_window {
    double mean, min, max;
    double slope;  /* slope of the line, from one round to the next */
    double first;  /* value of the line at the first round of the window */
    double range;  /* (max - min) / mean */
    double change; /* slope x 4 / mean, with its sign */
    bool steady;   /* never when the mean is not above 0, or a value is not finite */
};

struct steady_window steady_window_of(const double y[STEADY_WINDOW]);

/*
 * After how many of `rounds` rounds all `count` values are steady for the first time: the window is
 * the STEADY_WINDOW rounds that end there. 0: they are not. y[i][r]: value i of round r.
 */
size_t steady_after(const double *const y[], size_t count, size_t rounds);

/*
 * Answers the same question with an interval. Change points and phase over all rounds
 * (stat/judge.h) give the stable segment; its rounds in the last half of all count, at least the
 * last STEADY_WINDOW. The change of their line over a window has an interval: steady if all of it
 * lies within +-10 % of the mean, drifting if all of it lies outside, otherwise undecided. Five
 * rounds that scatter by 5 % show neither.
 */
enum drift_verdict { DRIFT_UNDECIDED, DRIFT_STEADY, DRIFT_DRIFTING };

const char *drift_verdict_name(enum drift_verdict verdict); /* undecided, steady, drifting */

struct drift {
    enum phase phase;
    size_t begin, end;    /* the rounds that count, half open */
    struct estimate mean; /* their mean */
    double change;        /* change of their line over a window, over the mean; NaN: below 3
                             rounds */
    double low, high;     /* the interval of the change; infinite where there is none */
    enum drift_verdict verdict;
};

size_t drift_scratch_bytes(size_t rounds);

struct drift drift_of(const double y[], size_t rounds, bool higher_is_better, double confidence,
                      struct arena *scratch);

#endif
