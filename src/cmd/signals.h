/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that ask for an end: SIGINT, SIGTERM and SIGHUP set a flag, which a session watches; it
 * then ends with what was measured. Another one that comes more than a second later is taken at its
 * word and ends the program at once. One flag per process; install it before any thread is made.
 */
#ifndef CUPEL_CMD_SIGNALS_H
#define CUPEL_CMD_SIGNALS_H

#include <signal.h>

/* Returns the flag: 0, or the number of the signal that came first. */
const volatile sig_atomic_t *signals_install(void);

#endif
