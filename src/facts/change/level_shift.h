/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A level that drifts, in words: by how much, over the readings in which that was seen. It is never
 * extrapolated to a longer time.
 */
#ifndef CUPEL_FACTS_CHANGE_LEVEL_SHIFT_H
#define CUPEL_FACTS_CHANGE_LEVEL_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

struct level_shift {
    bool found;
    size_t readings;         /* number of readings in which it was seen */
    double share, low, high; /* relative to the level at their beginning, with the interval: -0.3 is
                                a fall by 30 %. A level above 0 falls by at most 1. NaN: the level
                                began at 0 */
};

enum { LEVEL_SHIFT_WORDS = 96 };

/* "falls by 30 % (28 to 32 %)". Returns `to`. */
const char *level_shift_words(char *to, size_t size, const struct level_shift *shift);

#endif
