/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fits sections of a report on one screen: each is cut to its maximum of lines, and if all together
 * are still too long, the least important ones are left out.
 */
#ifndef CUPEL_REPORT_LAYOUT_SCREEN_FIT_H
#define CUPEL_REPORT_LAYOUT_SCREEN_FIT_H

#include <stddef.h>

#include "base/text.h"
#include "report/report.h"

/* Of 24 lines, one is for the error that follows a missed limit, one for the prompt. */
#define SCREEN_LINES 22

/* Returns the lines of a screen: SCREEN_LINES, or more on a higher terminal. */
size_t screen_lines(const struct report_style *style);

struct screen_part {
    struct text text; /* owned by the caller that filled it; "" once it is left out */
    size_t lines_max; /* maximum of shown lines; three dots mark a cut */
    unsigned rank;    /* 1 to 9: the highest is left out first; 0: never left out */
};

/* Keeps the first lines; three dots mark a cut. Returns the number of lines left. */
size_t screen_cut(struct text *t, size_t lines);

/* Cuts and leaves out parts until they have at most `lines` lines, if possible. Returns their
   number of lines. */
size_t screen_fit(struct screen_part parts[], size_t count, size_t lines);

/* Appends the parts to `out` and frees them. */
void screen_join(struct screen_part parts[], size_t count, struct text *out);

/* Adds "The whole report: " and where it is. */
void screen_add_footer(const struct report_style *style, struct text *out);

/* Is the terminal too narrow for tables? Then sentences replace them. */
bool screen_is_narrow(const struct report_style *style);

#endif
