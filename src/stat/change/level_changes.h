/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Levels that come back. A device that collects garbage now and then, or shares its link with
 * others, changes its level again and again: that is variation, not a warm-up, and the mean over
 * many changes is a mean like any other. The mean over a few changes says little, because few
 * changes do not show how often changes come.
 *
 * A leading level belongs to a warm-up when no later level is on its other side, so that it lies
 * outside the range of all levels after it. Pure; any thread may call it.
 */
#ifndef CUPEL_STAT_CHANGE_LEVEL_CHANGES_H
#define CUPEL_STAT_CHANGE_LEVEL_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/* From this number of changes on, which is five times there and back, all changes are treated as
   one process. */
#define LEVEL_CHANGES_MANY 10

struct level_changes {
    size_t begin; /* index of the first reading after the warm-up */
    size_t count; /* number of changes of level after the warm-up */
    /* the last level lasts longest and lies outside the range of the other levels, so it may be
       permanent */
    bool ends_off;
    /* by how much the readings outside the longest level shift the mean of x[begin..n) */
    double shift;
};

/* Analyses the levels of x[0..n). cuts[0..cut_count) are its change points, in ascending order. */
struct level_changes level_changes_of(const double x[], size_t n, const size_t cuts[],
                                      size_t cut_count);

#endif
