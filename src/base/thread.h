/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts threads that receive no signals. Handlers then run in a thread that the program itself
 * started (the program may be one that uses the library, include/cupel.h), and a measuring thread
 * is not interrupted.
 */
#ifndef CUPEL_BASE_THREAD_H
#define CUPEL_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Works like pthread_create, with a stack of `stack` bytes (0: the usual size). Returns 0 or an
   errno. Signals that a thread causes itself (SIGSEGV, SIGBUS ...) are not blocked. */
int thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *argument);

#endif
