/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the backends share that have a position in the file, as a program has: readwrite, stdio. */
#ifndef CUPEL_IO_POSITION_INTERNAL_H
#define CUPEL_IO_POSITION_INTERNAL_H

#include "io/io.h"

/* A position that no request has: the next one seeks. */
#define POSITION_NOWHERE UINT64_MAX

/*
 * Open the target again, with a position that no other worker moves: what the guarded descriptor
 * has open, by that descriptor and not by a path, with its flags. ERR_TARGET.
 */
int position_open(const struct io_setup *setup, struct err *e);

/* A line of the report: the calls, and what they go through. */
void position_describe(struct io_backend *b, const struct io_setup *setup, const char *calls);

#endif
