/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes the drift of a level in words: by how much it changed over the readings in which the
 * drift was seen. The drift is never extrapolated to a longer time.
 */
#ifndef CUPEL_FACTS_CHANGE_LEVEL_SHIFT_H
#define CUPEL_FACTS_CHANGE_LEVEL_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

struct level_shift {
    bool found;
    size_t readings; /* number of readings over which the drift was seen */
    /* change relative to the level at the first of these readings, with its interval: -0.3 is a
       fall by 30 %. A level above 0 falls by at most 1. NaN: the level began at 0 */
    double share, low, high;
};

enum { LEVEL_SHIFT_WORDS = 96 };

/* Writes the drift as "falls by 30 % (28 to 32 %)". Returns `to`. */
const char *level_shift_words(char *to, size_t size, const struct level_shift *shift);

#endif
