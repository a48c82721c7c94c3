/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full screen on standard error: the terminal's alternate screen, which is always drawn as a
 * whole. The former contents of the terminal are restored when the screen is left: at every end of
 * the process except by SIGKILL, so also after a second signal, abort() or a fault, and while the
 * process is stopped (Ctrl-Z). The terminal's modes are not changed. A process has one screen.
 * Nothing is allocated.
 */
#ifndef CUPEL_CMD_TERMINAL_FULL_SCREEN_H
#define CUPEL_CMD_TERMINAL_FULL_SCREEN_H

#include "base/err.h"
#include "base/text.h"

/* Fails with ERR_USAGE if standard error is no suitable terminal, so that --live is refused. */
int full_screen_check(struct err *e);

/* Installs the signal handlers. To be called before any thread is created. */
void full_screen_install(void);

/* Replaces the lines on the screen with a single write. The written bytes are built in `frame`,
   whose memory is used again by the next call. Enters the screen if necessary. */
void full_screen_draw(const struct text *lines, struct text *frame);

/* Returns to the normal screen, unless it is already shown. */
void full_screen_leave(void); /* signal handlers may call it */

#endif
