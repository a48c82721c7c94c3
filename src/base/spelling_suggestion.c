/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which word was meant, by the optimal string alignment distance. */
#include "base/spelling_suggestion.h"

#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 31 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t typing_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > WORD_MAX || columns > WORD_MAX)
        return SIZE_MAX;

    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= rows; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = smaller(replaced, smaller(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[rows][columns];
}

void nearest_offer(const char *typed, const char *candidate, const char **best)
{
    size_t distance = typing_distance(typed, candidate);
    size_t length = strlen(typed);
    size_t tolerated = length < 3 ? 1 : (length + 2) / 3;
    if (distance > tolerated || distance >= strlen(candidate))
        return;
    if (!*best || distance < typing_distance(typed, *best))
        *best = candidate;
}
