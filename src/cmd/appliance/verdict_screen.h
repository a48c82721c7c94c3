/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen on which a qualification ends: its page, what became of its report, the verdict in
 * large letters, and what the next key does. It fits the console that it is made for: 80x25, a
 * framebuffer, or a few columns and rows, where the verdict is the last to give way.
 */
#ifndef CUPEL_CMD_APPLIANCE_VERDICT_SCREEN_H
#define CUPEL_CMD_APPLIANCE_VERDICT_SCREEN_H

#include <stddef.h>

#include "base/text.h"
#include "init/console/console.h"
#include "report/report.h"

struct verdict_screen {
    const char *line; /* "FAIL: nvme3n1: link ...": the verdict is what stands before the colon */
    const char *page; /* made for verdict_screen_lines; NULL: the line stands for it */
    const char *feet[2]; /* "report: kept on the stick as ..."; "" */
    const char *prompt;
};

/* How a page for that console is laid out: without its last column, in colours unless the kernel's
   command line has NO_COLOR. */
struct report_style verdict_screen_style(const struct console_screen *screen);

/* How many lines of a page have room above the verdict of that line. */
size_t verdict_screen_lines(const struct console_screen *screen, const char *line);

/* All of it, as many lines as the screen has rows; the last one has no line end. */
void verdict_screen_add(const struct verdict_screen *v, const struct console_screen *screen,
                        struct text *to);

#endif
