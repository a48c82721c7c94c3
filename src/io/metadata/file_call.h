/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Backends whose requests are one call each on the target's descriptor, without data: falloc and
 * ftruncate. What they have in common are the queue, the time stamps and the flush.
 */
#ifndef CUPEL_IO_METADATA_FILE_CALL_H
#define CUPEL_IO_METADATA_FILE_CALL_H

#include "io/io.h"
#include "io/ring/serial_queue.h"

/* 0, or -1 with errno. A flush does not get there. */
typedef int file_call(const struct io_setup *setup, const struct io_req *request);

/* For io_ops.open and .close. ERR_MACHINE: no memory. */
int file_call_open(struct io_backend *b, const struct io_setup *setup, const struct io_ops *ops,
                   file_call *call, const char *description, struct err *e);
void file_call_close(struct io_backend *b);

#endif
