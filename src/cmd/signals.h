/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that ask for an end: SIGINT, SIGTERM and SIGHUP set a flag, which a session watches; it
 * then ends with what was measured. Another one that comes more than a second later is taken at its
 * word and ends the program at once. One flag per process; install it before any thread is made.
 */
#ifndef CUPEL_CMD_SIGNALS_H
#define CUPEL_CMD_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

enum { SIGNALS_GROUPS_MAX = 64 };

/* Returns the flag: 0, or the number of the signal that came first. */
const volatile sig_atomic_t *signals_install(void);

/* A group of processes that is killed when a second signal ends this process: nobody is left then
   to see to it. 0: the place is free again. Places count from 0; there is nothing beyond the last.
 */
void signals_end_with(size_t place, pid_t group);

#endif
