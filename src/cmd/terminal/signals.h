/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that request an end: SIGINT, SIGTERM and SIGHUP set a flag, which a session watches; the
 * session then ends with the measurements made so far. Another signal more than a second later ends
 * the program at once. One flag for each process; install it before any thread is made.
 */
#ifndef CUPEL_CMD_SIGNALS_H
#define CUPEL_CMD_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

enum { SIGNALS_GROUPS_MAX = 64 };

/* Returns the flag: 0, or the number of the signal that came first. */
const volatile sig_atomic_t *signals_install(void);

/* Sets a process group that is killed when a second signal ends this process, because nobody is
   left then to end it. 0 frees the place. Places count from 0; a place after the last one is
   ignored. */
void signals_end_with(size_t place, pid_t group);

#endif
