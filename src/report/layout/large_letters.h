/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A verdict in large letters that can be read from across a room: PASS, WARN, FAIL, NONE, NOT
 * DECIDED.
 *
 * A letter has 5 rows of points. A point is one or more characters: full blocks if style->unicode,
 * otherwise '#', which a terminal with colours shows as a block, because character and background
 * have the same colour. If there is no room, or a letter is not in the table, the word is printed
 * between stars.
 */
#ifndef CUPEL_REPORT_LAYOUT_LARGE_LETTERS_H
#define CUPEL_REPORT_LAYOUT_LARGE_LETTERS_H

#include "report/layout/layout.h"

/* Returns the number of lines, 1 to `max_lines`, that the word takes in style->width columns. */
size_t large_letters_lines(const char *word, const struct report_style *style, size_t max_lines);

void large_letters_add(struct text *out, const char *word, enum tone tone,
                       const struct report_style *style, size_t max_lines);

#endif
