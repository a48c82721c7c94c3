/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen on which a qualification ends: its page, where its report is, the verdict in large
 * letters, and what the next key does. It fits its console: 80x25, a framebuffer, or a few columns
 * and rows, where the verdict is the last part to be left out.
 */
#ifndef CUPEL_APPLIANCE_MENU_VERDICT_SCREEN_H
#define CUPEL_APPLIANCE_MENU_VERDICT_SCREEN_H

#include <stddef.h>

#include "appliance/console/console.h"
#include "base/text.h"
#include "report/report.h"

struct verdict_screen {
    const char *line;    /* "FAIL: nvme3n1: link ...": the verdict is the part before the colon */
    const char *page;    /* made for verdict_screen_lines; NULL: the line replaces it */
    const char *feet[2]; /* "report: kept on the stick as ..."; "" */
    const char *prompt;
};

/* Returns the style of a page for that console: without its last column, in colours unless the
   kernel's command line has NO_COLOR. */
struct report_style verdict_screen_style(const struct console_screen *screen);

/* Returns how many lines of a page fit above the verdict of that line. */
size_t verdict_screen_lines(const struct console_screen *screen, const char *line);

/* Adds the whole screen, as many lines as it has rows; the last one has no line end. */
void verdict_screen_add(const struct verdict_screen *v, const struct console_screen *screen,
                        struct text *to);

#endif
