/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for the backends that, like a program, use the position of an open file: readwrite and
   stdio. */
#ifndef CUPEL_IO_POSITION_INTERNAL_H
#define CUPEL_IO_POSITION_INTERNAL_H

#include "io/io.h"

/* No request has this offset, so the next request seeks. */
#define POSITION_NOWHERE UINT64_MAX

/*
 * Opens the target again, so that the worker has a position that no other worker moves. The file is
 * opened through the guarded descriptor, not by its path, and with the same flags. Errors:
 * ERR_TARGET.
 */
int position_open(const struct io_setup *setup, struct err *e);

/* Writes b->description: the system or library calls, and whether they use the page cache. */
void position_describe(struct io_backend *b, const struct io_setup *setup, const char *calls);

#endif
