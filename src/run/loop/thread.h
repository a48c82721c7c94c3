/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that take no signals: a handler runs in a thread that the program itself started, which
 * may be somebody else's program (include/cupel.h), and a measuring thread is not interrupted.
 */
#ifndef CUPEL_RUN_LOOP_THREAD_H
#define CUPEL_RUN_LOOP_THREAD_H

#include <pthread.h>
#include <stddef.h>

/*
 * As pthread_create, with a stack of so many bytes (0: the usual size): 0, or an errno. Signals
 * that a thread brings on itself (SIGSEGV, SIGBUS ...) are not blocked.
 */
int thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *argument);

#endif
