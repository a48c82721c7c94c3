/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the priority of a thread's I/O, as ionice does. */
#ifndef CUPEL_RUN_LOOP_IO_PRIORITY_H
#define CUPEL_RUN_LOOP_IO_PRIORITY_H

#include <stdint.h>

#include "base/err.h"

/*
 * Gives the calling thread this priority for the rest of its life, and checks that its requests may
 * have each of the priorities values[0..n). ERR_MACHINE: it is not permitted, or this kernel does
 * not know it.
 *
 * 0 stands for the priority that ionice gave this program, or for the usual one of its nice value.
 * It is set explicitly, too: otherwise the kernel puts the I/O of a thread with real-time priority
 * into class rt, and schedulers would serve it before all other I/O.
 */
int io_priority_begin(uint16_t own, const uint16_t values[], unsigned n, struct err *e);

#endif
