/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The priority of a thread's I/O, as ionice sets it. */
#ifndef CUPEL_RUN_LOOP_IO_PRIORITY_H
#define CUPEL_RUN_LOOP_IO_PRIORITY_H

#include <stdint.h>

#include "base/err.h"

/*
 * Give the calling thread this priority for the rest of its life, and make sure that its requests
 * may have each of the others, values[0..n). ERR_MACHINE: it is not permitted, or this kernel does
 * not know it.
 *
 * 0 is what ionice gave this program or an ordinary one of its nice value has, and it is set as
 * well: without one the kernel takes the I/O of a thread with real-time priority for class rt, and
 * schedulers would serve it before everybody else's.
 */
int io_priority_begin(uint16_t own, const uint16_t values[], unsigned n, struct err *e);

#endif
