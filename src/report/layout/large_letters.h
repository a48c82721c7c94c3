/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A verdict in large letters, to be read from across the room: PASS, WARN, FAIL, NONE, NOT DECIDED.
 *
 * A letter has 5 rows of points, and a point is one or more characters: full blocks if
 * style->unicode, else '#', which a terminal with colours shows as blocks, because background and
 * character have the same colour. Without room for letters, or with a letter that is not in the
 * table, the word is printed between stars.
 */
#ifndef CUPEL_REPORT_LAYOUT_LARGE_LETTERS_H
#define CUPEL_REPORT_LAYOUT_LARGE_LETTERS_H

#include "report/layout/layout.h"

/* Returns the number of lines that the word takes within style->width columns: 1 to `max_lines`. */
size_t large_letters_lines(const char *word, const struct report_style *style, size_t max_lines);

void large_letters_add(struct text *out, const char *word, enum tone tone,
                       const struct report_style *style, size_t max_lines);

#endif
