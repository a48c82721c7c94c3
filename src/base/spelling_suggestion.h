/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which word was meant: the one with the fewest typing errors between. Pure. */
#ifndef CUPEL_BASE_SPELLING_SUGGESTION_H
#define CUPEL_BASE_SPELLING_SUGGESTION_H

#include <stddef.h>

/*
 * Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
 * string alignment). Words above 31 characters are as far apart as can be.
 */
size_t typing_distance(const char *a, const char *b);

/*
 * To find the best of many: keeps `candidate` in *best when it is nearer to `typed` than *best was,
 * and near enough to be meant: at most one error in three characters. *best starts as NULL.
 */
void nearest_offer(const char *typed, const char *candidate, const char **best);

#endif
