/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many runs a simulation has. ./build.sh bench makes all of them (CUPEL_SIMULATIONS=whole); the
 * tests make a tenth, from the same seeds, and allow the shares that they count two standard errors
 * of that tenth more.
 */
#ifndef TESTS_UNIT_SIMULATIONS_H
#define TESTS_UNIT_SIMULATIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool simulations_are_whole(void)
{
    const char *words = getenv("CUPEL_SIMULATIONS");
    return words && !strcmp(words, "whole");
}

static inline int simulation_runs(int whole)
{
    return simulations_are_whole() ? whole : whole / 10;
}

/* Returns what chance may take from a share, or add to it, in `runs` runs that are not the whole.
 */
static inline double simulation_slack(double share, int runs)
{
    return simulations_are_whole() ? 0 : 2 * sqrt(share * (1 - share) / runs);
}

#endif
