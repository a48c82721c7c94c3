/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dip, or a rise, in the middle of one level: the level before it and the one after it are the
 * same, and it is short.
 *
 * A dip belongs to the steady part. Nobody knows from one of them how often it comes, so nothing
 * that happened is left out: it counts in the mean, and the interval becomes as wide as one rare
 * event makes it, until the series is long enough to show how rare it is.
 */
#ifndef CUPEL_STAT_DIP_H
#define CUPEL_STAT_DIP_H

#include <stddef.h>

#include "base/arena.h"

size_t dip_scratch_bytes(size_t n);

/*
 * Removes from `cuts` both ends of every dip of x[0..n) and returns how many cuts are left. A
 * segment is a dip when each of its neighbours is at least twice as long, the two together hold
 * more than half of the readings, and they are at one level: between the two, put side by side, no
 * cut would be worth `least_worth` (as in longrun.h, with the sum of the variances of the two means
 * for the square of the standard error).
 */
size_t dip_remove_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count,
                       double least_worth, struct arena *scratch);

#endif
