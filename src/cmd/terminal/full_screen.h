/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full screen on standard error: the terminal's alternate screen, drawn as a whole. The former
 * contents of the terminal come back when the screen is left: at every end of the process except by
 * SIGKILL, so also after a second signal, abort() or a fault, and while it is stopped (Ctrl-Z). The
 * terminal's modes do not change. The process has one screen; nothing is allocated.
 */
#ifndef CUPEL_CMD_TERMINAL_FULL_SCREEN_H
#define CUPEL_CMD_TERMINAL_FULL_SCREEN_H

#include "base/err.h"
#include "base/text.h"

/* Checks that there is a suitable terminal. ERR_USAGE: there is none, so --live is refused. */
int full_screen_check(struct err *e);

/* Installs the signal handlers; call it before any thread is created. */
void full_screen_install(void);

/* Replaces the lines on the screen with one write, which is built in `frame`; the memory of `frame`
   is reused. Enters the screen if necessary. */
void full_screen_draw(const struct text *lines, struct text *frame);

/* Returns to the normal screen; does nothing if it is already shown. */
void full_screen_leave(void); /* signal handlers may call it */

#endif
