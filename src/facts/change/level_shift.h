/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A level that moves bit by bit, in words: by how much over the readings in which that was seen,
 * and never what it would come to over a longer time.
 */
#ifndef CUPEL_FACTS_LEVEL_SHIFT_H
#define CUPEL_FACTS_LEVEL_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

struct level_shift {
    bool found;
    size_t readings;         /* that it was seen in */
    double share, low, high; /* of the level at their beginning, with the interval: -0.3 is a fall
                                by 30 %. A level above 0 falls by 1 at most. NaN: it began at 0 */
};

enum { LEVEL_SHIFT_WORDS = 96 };

/* "falls by 30 % (28 to 32 %)". Returns `to`. */
const char *level_shift_words(char *to, size_t size, const struct level_shift *shift);

#endif
