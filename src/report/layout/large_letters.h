/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A verdict in large letters, to be read from across the room: PASS, WARN, FAIL, NONE, NOT DECIDED.
 *
 * A letter is made of 5 rows of points, a point of one or more characters: full blocks where
 * style->unicode says that they can be shown, else '#', which a terminal with colours shows as
 * blocks, because it draws them in their own colour. Where there is no room for letters, or one of
 * them is not among those, the word stands there as it is, between stars.
 */
#ifndef CUPEL_REPORT_LAYOUT_LARGE_LETTERS_H
#define CUPEL_REPORT_LAYOUT_LARGE_LETTERS_H

#include "report/layout/layout.h"

/* The lines that the word takes within style->width columns: at most `max_lines`, at least 1. */
size_t large_letters_lines(const char *word, const struct report_style *style, size_t max_lines);

void large_letters_add(struct text *out, const char *word, enum tone tone,
                       const struct report_style *style, size_t max_lines);

#endif
