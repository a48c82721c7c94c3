/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fits the sections of a report on one screen. Each section is cut to its maximum of lines; if all
 * together are still too long, the least important ones are left out.
 */
#ifndef CUPEL_REPORT_LAYOUT_SCREEN_FIT_H
#define CUPEL_REPORT_LAYOUT_SCREEN_FIT_H

#include <stddef.h>

#include "base/text.h"
#include "report/report.h"

/* 24 lines of a terminal, less one for an error about a missed limit and one for the shell's
   prompt. */
#define SCREEN_LINES 22

/* Returns the number of lines for a report: SCREEN_LINES, or more on a higher terminal. */
size_t screen_lines(const struct report_style *style);

struct screen_part {
    struct text text; /* the caller's, until screen_join frees it; "": left out */
    size_t lines_max; /* maximum of lines; "..." marks a cut */
    unsigned rank;    /* 1 to 9, parts of a higher rank are left out first; 0: never left out */
};

/* Cuts a text to at most this number of lines, and marks a cut by "...". Returns its number of
   lines. */
size_t screen_cut(struct text *t, size_t lines);

/* Cuts parts to their lines_max, and leaves parts out by rank, until all together have at most
   `lines` lines, if possible. Returns their number of lines. */
size_t screen_fit(struct screen_part parts[], size_t count, size_t lines);

/* Appends the parts to `out` and frees them. */
void screen_join(struct screen_part parts[], size_t count, struct text *out);

/* Adds a line with the place of the whole report: "The whole report: ...". */
void screen_add_footer(const struct report_style *style, struct text *out);

/* Returns true if the terminal is too narrow for tables, so that sentences replace them. */
bool screen_is_narrow(const struct report_style *style);

#endif
