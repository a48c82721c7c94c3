/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fitting sections of a report on one screen: each is cut to the lines that it may have, and where
 * they are too many together, the least important ones are left out.
 */
#ifndef CUPEL_REPORT_LAYOUT_SCREEN_FIT_H
#define CUPEL_REPORT_LAYOUT_SCREEN_FIT_H

#include <stddef.h>

#include "base/text.h"
#include "report/report.h"

/* Of 24: one is for the error that follows a missed limit, one for the prompt. */
#define SCREEN_LINES 22

struct screen_part {
    struct text text; /* owned by whoever filled it; "" once it is left out */
    size_t lines_max; /* so many of it are shown at most; three dots stand where there were more */
    unsigned rank;    /* 1 to 9: the highest is left out first; 0: never left out */
};

/* The first lines; three dots stand where there were more. Returns how many are left. */
size_t screen_cut(struct text *t, size_t lines);

/* Cuts and leaves out until the parts have no more than SCREEN_LINES less `reserved` lines, if that
   can be. Returns the lines that they have. */
size_t screen_fit(struct screen_part parts[], size_t count, size_t reserved);

/* Appends the parts to `out` and frees them. */
void screen_join(struct screen_part parts[], size_t count, struct text *out);

/* "The whole report: ", and where it is. */
void screen_add_footer(const struct report_style *style, struct text *out);

/* A terminal too narrow for tables, where sentences stand in their place. */
bool screen_is_narrow(const struct report_style *style);

#endif
