/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the backends that have a position in the file, as a program has: readwrite, stdio. */
#ifndef CUPEL_IO_POSITION_INTERNAL_H
#define CUPEL_IO_POSITION_INTERNAL_H

#include "io/io.h"

/* A position that no request has: the next request seeks. */
#define POSITION_NOWHERE UINT64_MAX

/*
 * Open the target again, so that the worker has a position that no other worker moves. It opens
 * what the guarded descriptor has open, by that descriptor and not by a path, with the same flags.
 * ERR_TARGET.
 */
int position_open(const struct io_setup *setup, struct err *e);

/* Write b->description: the calls, and what they go through. */
void position_describe(struct io_backend *b, const struct io_setup *setup, const char *calls);

#endif
