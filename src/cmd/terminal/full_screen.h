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

/* Is there a terminal that can? ERR_USAGE: none is, so --live is refused. */
int full_screen_check(struct err *e);

/* The handlers of signals; before any thread is made. */
void full_screen_install(void);

/* Lines in place of what stands there, by one write of what is put together in `frame`, whose
   memory is used again. Enters the screen if need be. */
void full_screen_draw(const struct text *lines, struct text *frame);

/* Back to the normal screen; nothing when it is not left. */
void full_screen_leave(void); /* handlers of signals may call it */

#endif
