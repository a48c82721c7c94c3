/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full screen on standard error: the terminal's alternate screen, drawn as a whole. What stood on
 * the terminal comes back when it is left: at every end of the process but SIGKILL, also by a
 * second signal, abort() and faults, and while it is stopped (Ctrl-Z). The terminal's modes are not
 * touched. One for the process; nothing is allocated.
 */
#ifndef CUPEL_CMD_TERMINAL_FULL_SCREEN_H
#define CUPEL_CMD_TERMINAL_FULL_SCREEN_H

#include "base/err.h"
#include "base/text.h"

/* Is there a suitable terminal? ERR_USAGE: no, so --live is refused. */
int full_screen_check(struct err *e);

/* Installs the signal handlers; call it before any thread is created. */
void full_screen_install(void);

/* Replaces the lines on the screen with one write, which is built in `frame`; the memory of `frame`
   is reused. Enters the screen if necessary. */
void full_screen_draw(const struct text *lines, struct text *frame);

/* Returns to the normal screen; does nothing when it is already shown. */
void full_screen_leave(void); /* handlers of signals may call it */

#endif
