/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The number of runs in a simulation. ./build.sh bench makes all of them (CUPEL_SIMULATIONS=whole).
 * The tests make a tenth, from the same seeds, and allow two standard errors of that tenth more for
 * the shares that they count.
 *
 * Sanitizers look for other faults and make a series take five times as long: with them a
 * simulation has a twentieth of its runs, and its counts are not checked. Every CI run has the same
 * simulation without them.
 */
#ifndef TESTS_UNIT_SIMULATIONS_H
#define TESTS_UNIT_SIMULATIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define SIMULATED_RUNS(runs) ((runs) / 20 + 1)
#define COUNTED(condition)   ((condition) || true)
#else
#define SIMULATED_RUNS(runs) (runs)
#define COUNTED(condition)   (condition)
#endif
#define CHECK_COUNT(condition) CHECK(COUNTED(condition))

static inline bool simulations_are_whole(void)
{
    const char *words = getenv("CUPEL_SIMULATIONS");
    return words && !strcmp(words, "whole");
}

static inline int simulation_runs(int whole)
{
    return SIMULATED_RUNS(simulations_are_whole() ? whole : whole / 10);
}

/* Returns the deviation of a share that chance may cause in `runs` runs, if these are not all runs.
 */
static inline double simulation_slack(double share, int runs)
{
    return simulations_are_whole() ? 0 : 2 * sqrt(share * (1 - share) / runs);
}

#endif
