/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that request an end: SIGINT, SIGTERM and SIGHUP set a flag, which a session watches; the
 * session then ends with what it has measured. Another signal more than a second later ends the
 * program at once. A process has one flag. The handlers must be installed before any thread is
 * created.
 */
#ifndef CUPEL_CMD_SIGNALS_H
#define CUPEL_CMD_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

enum { SIGNALS_GROUPS_MAX = 64 };

/* Installs the handlers. Returns the flag: 0, or the number of the first signal. */
const volatile sig_atomic_t *signals_install(void);

/* Sets a process group that is killed if a second signal ends this process, because nothing else
   would end it then. 0 frees the place. Places count from 0; a place after the last one is
   ignored. */
void signals_end_with(size_t place, pid_t group);

#endif
