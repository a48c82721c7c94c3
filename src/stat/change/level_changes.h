/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Levels that come back. A device that collects garbage now and then, or shares its link with
 * others, changes its level again and again: that is variation, not a warm-up, and the mean over
 * many changes is a mean like any other. The mean over a few of them says little: how often they
 * come is not known yet.
 *
 * A leading level belongs to a warm-up when no later level is on its other side: it lies outside
 * the range of all levels after it. Pure, any thread.
 */
#ifndef CUPEL_STAT_CHANGE_LEVEL_CHANGES_H
#define CUPEL_STAT_CHANGE_LEVEL_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/* Number of changes, five times there and back, from which on they are one process. */
#define LEVEL_CHANGES_MANY 10

struct level_changes {
    size_t begin;  /* first reading after the warm-up */
    size_t count;  /* number of changes of the level after it */
    bool ends_off; /* the last level lasts longest, and lies outside the range of the others: it may
                      be there to stay */
    double shift;  /* by how much readings off the longest level move the mean of x[begin..n) */
};

/* x[0..n) divided at cuts[0..cut_count), ascending. */
struct level_changes level_changes_of(const double x[], size_t n, const size_t cuts[],
                                      size_t cut_count);

#endif
